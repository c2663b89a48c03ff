"""What a request wants to be shown of documents: fields, and highlights."""

from __future__ import annotations

from typing import Final

from proxy.errors import BadRequest
from proxy.model import Highlight, HighlightField, Sources
from proxy.wire import checks

KEYS: Final = ("fields", "pre_tag", "post_tag")
MAX_FIELDS: Final = 64
"""Paths and patterns of `fields`."""
MAX_HIGHLIGHTS: Final = 16
"""Fields to be highlighted."""
MAX_PATH: Final = 200
"""Characters of a path, a pattern or a field's name."""
MAX_STARS: Final = 128
"""`*` in all patterns of a list."""
MAX_TAG: Final = 100
"""Characters that stand before or after a match."""
SEARCHED: Final = "*"
"""Every field where the text matched."""


def fields(value: object) -> Sources:
    """A list of paths and patterns; of an empty one comes no source."""
    return Sources(patterns(_names(value, "fields", MAX_FIELDS), "fields"))


def highlight(value: object) -> Highlight | None:
    """true, a list of fields, or an object with `fields`, `pre_tag` and `post_tag`."""
    if isinstance(value, bool):
        return _highlight([SEARCHED], "highlight") if value else None
    if isinstance(value, list):
        return _highlight(value, "highlight")
    if not isinstance(value, dict):
        what = "must be true, a list of fields or an object"
        raise BadRequest(what, field="highlight", value=value)
    for key in value:
        checks.choice(key, "highlight", KEYS)
    tags = {
        name: checks.text(value[key], f"highlight.{key}", MAX_TAG)
        for key, name in (("pre_tag", "before"), ("post_tag", "after"))
        if key in value
    }
    return _highlight(value.get("fields", [SEARCHED]), "highlight.fields", **tags)


def _highlight(names: object, where: str, **tags: str) -> Highlight:
    read = _names(names, where, MAX_HIGHLIGHTS)
    if not read:
        raise BadRequest("names no field", field=where)
    return Highlight(tuple(HighlightField(name) for name in read), **tags)


def patterns(names: tuple[str, ...], where: str) -> tuple[str, ...]:
    """The same, unless their stars are so many that looking for what they match takes long."""
    if (stars := sum(name.count("*") for name in names)) > MAX_STARS:
        raise BadRequest(f"has {stars} stars; {MAX_STARS} are allowed in all", field=where)
    return names


def _names(value: object, where: str, most: int) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise BadRequest("must be a list", field=where, value=value)
    if len(value) > most:
        raise BadRequest(f"has {len(value)} items; {most} are allowed", field=where)
    return tuple(checks.name(name, f"{where}[{i}]", MAX_PATH) for i, name in enumerate(value))
