"""YAML values made immutable: lists as tuples, mappings as pairs that remember what they were."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, TypeAlias, TypeVar, get_args

from pydantic import AfterValidator, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

T = TypeVar("T")


class Pairs(tuple[tuple[str, Any], ...]):
    """A frozen mapping: (key, value) pairs in file order, told from a list of pairs by its type."""

    __slots__ = ()


def freeze(value: object) -> object:
    """The same value, hashable: mappings as `Pairs`, lists as tuples, all the way down."""
    if isinstance(value, Mapping):
        return Pairs((str(key), freeze(item)) for key, item in value.items())
    if isinstance(value, list | tuple) and not isinstance(value, Pairs):
        return tuple(freeze(item) for item in value)
    return value


def thaw(value: object) -> object:
    """What `freeze` was given, as plain dicts and lists (what JSON can hold)."""
    if isinstance(value, Pairs):
        return {key: thaw(item) for key, item in value}
    if isinstance(value, tuple):
        return [thaw(item) for item in value]
    return value


class _Mapping:
    """Validates a mapping and keeps it as pairs. `name` is a pattern that its keys must match."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        _, item = get_args(get_args(source)[0])
        keys = core_schema.str_schema(pattern=self.name)
        mapping = core_schema.no_info_after_validator_function(
            lambda read: Pairs(read.items()),
            core_schema.dict_schema(keys, handler.generate_schema(item)),
        )
        given = core_schema.no_info_before_validator_function(
            lambda read: dict(read) if isinstance(read, tuple) else read, mapping
        )
        return core_schema.json_or_python_schema(json_schema=mapping, python_schema=given)


Named: TypeAlias = Annotated[
    tuple[tuple[str, T], ...], _Mapping(r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")
]
"""Named things, in file order."""
Routes: TypeAlias = Annotated[tuple[tuple[str, T], ...], _Mapping(r"^[a-z0-9_-]{1,32}$")]
"""Named things whose names stand in URLs, tokens and Redis keys."""
AS_MAPPING: Final = _Mapping(r"^")
"""Marks any pairs that are a mapping in the file."""
Options: TypeAlias = Annotated[
    tuple[tuple[str, Annotated[Any, AfterValidator(freeze)]], ...], AS_MAPPING
]
"""The unread options of a part, frozen."""
