"""A document against the schema: every problem at once, and as much of the settings as is sound."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Final, NamedTuple, TypeAlias, get_args, get_origin

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from config.document import Document, Value
from config.problems import ABSENT, problem
from config.schema import Section, Settings

Path: TypeAlias = tuple[str | int, ...]
Sections: TypeAlias = dict[str, Value]

NAMED: Final = ("backends", "embedders", "rerankers", "legs", "pipelines", "routes")
"""The sections whose entries have names of the operator's choosing."""
UNKNOWN: Final = "extra_forbidden"
MISSING: Final = "missing"
"""Pydantic's names for a key that isn't in the schema, and for one that should be there."""


class Validated(NamedTuple):
    """The settings less what is broken (None where there is no saying), and what is wrong.

    `broken` are the (section, name) of entries that lost something or are missing: what else can be
    said of them is no second mistake.
    """

    settings: Settings | None
    problems: tuple[str, ...]
    broken: frozenset[tuple[str, str]] = frozenset()


def validate(document: Document) -> Validated:
    """Check every key and value; what is broken is left out, so that the rest can be checked."""
    if not isinstance(document.value, dict):
        wrong = () if document.problems else ("the file: is no mapping of sections",)
        return Validated(None, wrong)
    errors = _errors(document.value)
    problems = [
        describe(error, choices(error["loc"][:-1]) if error["type"] == UNKNOWN else ())
        for error in errors
        if not _within(document.unread, error["loc"])
    ]
    broken = {path[:2] for path in (*(error["loc"] for error in errors), *document.unread)}
    return Validated(
        _salvage(document.value),
        tuple(problems),
        frozenset((str(path[0]), str(path[1])) for path in broken if len(path) > 1),
    )


def describe(error: ErrorDetails, known: Iterable[str] = ()) -> str:
    """Pydantic's error as a problem of ours; `known` are the keys that an unknown one could be."""
    where = ".".join(str(step) for step in error["loc"] if step != "[key]")
    if error["type"] == UNKNOWN:
        return problem(where, "is no key here", choices=known)
    if error["type"] == MISSING:
        return problem(where, "is missing")
    what = error["msg"].removeprefix("Value error, ")
    shown = error["input"] if isinstance(error["input"], str | bool | int | float) else ABSENT
    return problem(where, what[:1].lower() + what[1:], shown)


def choices(where: Path) -> Sequence[str]:
    """The keys that the section at `where` has."""
    section: type[Section] = Settings
    named = False
    for step in where:
        if named:  # a name or an index between a field and its section
            named = False
            continue
        annotation = section.model_fields[str(step)].annotation
        section, named = _section(annotation), get_origin(annotation) is tuple
    return tuple(section.model_fields)


def _section(annotation: object) -> type[Section]:
    """The section that an annotation (`Part | None`, pairs of name and `Route`) is about."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation
    inner = [part for part in get_args(annotation) if part not in (str, type(None), ...)]
    return _section(inner[0])


def _errors(value: Sections) -> list[ErrorDetails]:
    try:
        Settings.model_validate_json(json.dumps(value))
    except ValidationError as exc:
        return exc.errors(include_url=False)
    return []


def _within(unread: Iterable[tuple[str, ...]], where: Path) -> bool:
    return any(tuple(map(str, where[: len(path)])) == path for path in unread)


def _salvage(value: Sections) -> Settings:
    """The settings that are left when everything broken is taken out."""
    while True:
        value = {name: {} for name in NAMED} | value
        errors = _errors(value)
        if not errors:
            return Settings.model_validate_json(json.dumps(value))
        for error in errors:
            value = _without(value, _culprit(error))


def _culprit(error: ErrorDetails) -> tuple[str, ...]:
    """The path of keys to leave out: of a list the whole, and of what lacks a key everything."""
    path = [step for step in error["loc"] if step != "[key]"]
    keys = [str(step) for step in takewhile(lambda step: isinstance(step, str), path)]
    return tuple(keys[:-1] if error["type"] == MISSING else keys)


def _without(value: Sections, path: tuple[str, ...]) -> Sections:
    """`value` less what stands at `path`."""
    if len(path) == 1:
        return {key: item for key, item in value.items() if key != path[0]}
    inner = value.get(path[0])
    return {**value, path[0]: _without(inner, path[1:])} if isinstance(inner, dict) else value
