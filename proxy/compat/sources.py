"""What of documents is shown: `_source`, in a body or in a URL."""

from __future__ import annotations

from typing import Final

from proxy.compat.shapes import MAX_FIELD, at, listed, only
from proxy.model import Sources
from proxy.wire import checks
from proxy.wire.shown import MAX_FIELDS, patterns

NOTHING: Final = Sources(include=())


def sources(value: object, path: str) -> Sources:
    """True, false, a pattern, a list of them, or both what is included and what excluded."""
    match value:
        case None | True:
            return Sources()
        case False:
            return NOTHING
        case dict():
            given = only(value, path, ("includes", "include", "excludes", "exclude"))
            include = given.get("includes", given.get("include"))
            exclude = given.get("excludes", given.get("exclude"))
            included = _patterns(include, at(path, "includes"))
            return Sources(included or None, _patterns(exclude, at(path, "excludes")))
        case _:
            return Sources(_patterns(value, path) or None)


def _patterns(value: object, path: str) -> tuple[str, ...]:
    """Patterns of fields; none given is none."""
    if value is None:
        return ()
    several = listed(value if isinstance(value, list) else [value], path, MAX_FIELDS)
    return patterns(tuple(checks.name(each, path, MAX_FIELD) for each in several), path)
