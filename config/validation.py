"""A document against the schema: every problem at once, and as much of the settings as is sound."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any, Final, NamedTuple, TypeAlias, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from config.document import Document, Value
from config.problems import ABSENT, problem
from config.schema import Settings

Path: TypeAlias = tuple[str | int, ...]
Sections: TypeAlias = dict[str, Value]

NAMED: Final = ("backends", "embedders", "rerankers", "legs", "pipelines", "routes")
"""The sections whose entries have names of the operator's choosing."""
UNKNOWN: Final = ("extra_forbidden", "unexpected_keyword_argument")
MISSING: Final = "missing"
"""Pydantic's names for a key that isn't in the schema, and for one that should be there."""

SAID: Final[Mapping[str, str]] = {
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "is not a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "is not a number"),
    **dict.fromkeys(("tuple_type", "list_type"), "is not a list"),
    **dict.fromkeys(("dict_type", "model_type", "dataclass_type"), "is not a mapping"),
    "finite_number": "is not a finite number",
    "bool_type": "is neither true nor false",
    "string_type": "is not a text",
    "path_type": "is not a path",
    "literal_error": "is none of the choices",
    "greater_than": "is not greater than {gt}",
    "greater_than_equal": "is less than {ge}",
    "less_than_equal": "is greater than {le}",
    "string_too_short": "is empty",
    "too_short": "names too few: at least {min_length} is needed",
    "string_pattern_mismatch": "is no name here: it should match {pattern}",
}
"""Pydantic's errors in the words of the file. `string_too_short` is only ever of `min_length` 1."""


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
        describe(error, Settings) for error in errors if not _within(document.unread, error["loc"])
    ]
    broken = {path[:2] for path in (*(error["loc"] for error in errors), *document.unread)}
    return Validated(
        _salvage(document.value),
        tuple(problems),
        frozenset((str(path[0]), str(path[1])) for path in broken if len(path) > 1),
    )


def describe(error: ErrorDetails, schema: type, under: str = "") -> str:
    """Pydantic's error as a problem of ours: `schema` was validated, `under` is where it stands."""
    steps = [str(step) for step in error["loc"] if step != "[key]"]
    where = ".".join([under, *steps] if under else steps)
    if error["type"] in UNKNOWN:
        return problem(where, "is no key here", choices=choices(error["loc"][:-1], schema))
    if error["type"] == MISSING:
        return problem(where, "is missing")
    shown = error["input"] if isinstance(error["input"], str | bool | int | float) else ABSENT
    return problem(where, _said(error), shown, expected(error))


def expected(error: ErrorDetails) -> Sequence[str]:
    """The choices there are where a value is none of them; () for any other error."""
    if error["type"] != "literal_error":
        return ()
    return tuple(re.findall(r"'([^']*)'", error["ctx"]["expected"]))


def _said(error: ErrorDetails) -> str:
    """What is wrong, in our words where pydantic's are about Python or JSON."""
    if error["type"] in SAID:
        return SAID[error["type"]].format_map(error.get("ctx", {}))
    what = error["msg"].removeprefix("Value error, ")
    return what[:1].lower() + what[1:]


def choices(where: Path, schema: type) -> Sequence[str]:
    """The keys that the section (or dataclass) at `where` has, from `schema` on."""
    named = False
    for step in where:
        if named:  # a name or an index between a field and its section
            named = False
            continue
        annotation = _annotations(schema)[str(step)]
        schema, named = _section(annotation), _is_collection(annotation)
    return tuple(_annotations(schema))


def _annotations(schema: Any) -> Mapping[str, object]:
    if issubclass(schema, BaseModel):
        return {name: field.annotation for name, field in schema.model_fields.items()}
    hints = get_type_hints(schema)
    return {field.name: hints[field.name] for field in dataclasses.fields(schema) if field.init}


def _section(annotation: object) -> type:
    """The class that an annotation (`Part | None`, pairs of name and `Route`) is about."""
    if inner := [part for part in get_args(annotation) if part not in (str, type(None), ...)]:
        return _section(inner[0])
    return cast(type, annotation)


def _is_collection(annotation: object) -> bool:
    origin = get_origin(annotation)
    return isinstance(origin, type) and issubclass(origin, Collection)


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
