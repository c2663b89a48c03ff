"""Parts with mistakes, mended: only so that what else is wrong can be told at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Generic, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from config.named import thaw
from config.problems import nearest
from config.schema import Part
from config.validation import MISSING, UNKNOWN, choices, expected
from proxy.build.making import fields

T = TypeVar("T")
Options = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Mended(Generic[T]):
    """What a part was meant to be, to be judged and never used.

    `lost` are the names and keys under which something was dropped: of these nothing can be said.
    """

    value: T
    lost: frozenset[str] = frozenset()


def mend(part: Part, registry: Mapping[str, type[T]]) -> Mended[T] | None:
    """The part as `problem` would suggest it, less what can't be guessed; None if too little is so.

    Every mistake of it is told by `make` already. Each round takes one out, so it ends.
    """
    if part.kind not in registry:
        return None
    made = registry[part.kind]
    options: Options | None = {key: thaw(value) for key, value in part.options}
    lost: set[str] = set()
    while options is not None:
        try:
            return Mended(made(**fields(made, options)), frozenset(lost))
        except ValidationError as exc:
            errors = exc.errors(include_url=False)
            misspelt = (error for error in errors if error["type"] in UNKNOWN)  # may be one missing
            options = _without_mistake(options, next(misspelt, errors[0]), made, lost)
        except ValueError as exc:
            options = _dropped(options, [str(exc).partition(":")[0]])
    return None


def _without_mistake(
    options: Options, error: ErrorDetails, made: type, lost: set[str]
) -> Options | None:
    """The options less one mistake: the nearest choice, or nothing, where it was."""
    steps = [step for step in error["loc"] if step != "[key]"]
    path = list(map(str, takewhile(lambda step: isinstance(step, str), steps)))
    whole = len(path) == len(steps)
    if error["type"] in UNKNOWN and whole:
        return _renamed(options, path, choices(error["loc"][:-1], made))
    if (allowed := expected(error)) and whole:
        return _put(options, path, nearest(str(error["input"]), allowed) or allowed[0])
    if error["type"] == MISSING:
        path = path[:-1]
    lost.update(path)
    return _dropped(options, path)


def _renamed(options: Options, path: list[str], known: Iterable[str]) -> Options | None:
    """A key that was misspelt becomes what it may have meant, unless that is there, too."""
    section = _section(options, path)
    meant = nearest(path[-1], known)
    rest = _dropped(options, path)
    if rest is None or section is None or meant is None or meant in section:
        return rest
    return _put(rest, [*path[:-1], meant], section[path[-1]])


def _section(options: Options, path: list[str]) -> Options | None:
    """The mapping that the last key of `path` stands in; None where there is none."""
    section: Any = options
    for step in path[:-1]:
        section = section.get(step) if isinstance(section, dict) else None
    return section if path and isinstance(section, dict) else None


def _put(options: Options, path: list[str], value: object) -> Options:
    """The options with `value` at `path`, whose section is there."""
    inner = value if len(path) == 1 else _put(options[path[0]], path[1:], value)
    return {**options, path[0]: inner}


def _dropped(options: Options, path: list[str]) -> Options | None:
    """The options less what stands at `path`; None where nothing does."""
    section = _section(options, path)
    if section is None or path[-1] not in section:
        return None
    kept = {key: item for key, item in section.items() if key != path[-1]}
    return kept if len(path) == 1 else _put(options, path[:-1], kept)
