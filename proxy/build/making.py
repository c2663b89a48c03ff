"""Parts made from the configuration: `kind` names a class, and its fields are the schema."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, GetCoreSchemaHandler, TypeAdapter, ValidationError
from pydantic_core import CoreSchema, core_schema

from config.errors import ConfigError
from config.named import AS_MAPPING, thaw
from config.problems import problem
from config.schema import Part
from config.validation import describe

T = TypeVar("T")


def make(where: str, part: Part, registry: Mapping[str, type[T]]) -> T:
    """Make what `part.kind` names. Raises ConfigError with every problem, each with its path.

    A class may check more than types in its `__post_init__`, raising ValueError("field: what").
    """
    if part.kind not in registry:
        wrong = problem(f"{where}.kind", "is no kind of part here", part.kind, registry)
        raise ConfigError(where, [wrong])
    made = registry[part.kind]
    try:
        return made(**fields(made, {key: thaw(value) for key, value in part.options}))
    except ValidationError as exc:
        errors = exc.errors(include_url=False)
        raise ConfigError(where, [describe(error, made, where) for error in errors]) from None
    except ValueError as exc:
        raise ConfigError(where, [f"{where}.{exc}"]) from None


def fields(made: type, options: Mapping[str, object]) -> dict[str, Any]:
    """The fields of a `made` with these options. Raises pydantic's ValidationError.

    They are read as JSON in pydantic's strict mode: nothing is coerced, but a list may become a
    tuple and a text a path, which JSON has no types for.
    """
    adapter: TypeAdapter[dict[str, Any]] = TypeAdapter(
        Annotated[dict[str, Any], _Fields(made)], config=ConfigDict(extra="forbid")
    )
    return adapter.validate_json(json.dumps(options), strict=True)


class _Fields:
    """The fields of a dataclass as the keys of a mapping, those without a default required."""

    def __init__(self, made: type) -> None:
        self.made = made

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        hints = get_type_hints(self.made, include_extras=True)
        return core_schema.typed_dict_schema(
            {
                field.name: core_schema.typed_dict_field(
                    handler.generate_schema(_keyed(hints[field.name])),
                    required=not _has_default(field),
                )
                for field in dataclasses.fields(self.made)
                if field.init
            },
            extra_behavior="forbid",
        )


def _has_default(field: dataclasses.Field[Any]) -> bool:
    missing = dataclasses.MISSING
    return field.default is not missing or field.default_factory is not missing


def _keyed(hint: Any) -> Any:
    """The hint as it is, but pairs of a text and something are a mapping in the file."""
    match get_args(hint):
        case (pair, last) if last is ... and get_origin(pair) is tuple:
            match get_args(pair):
                case (first, item) if first is str and item is not ...:
                    return Annotated[hint, AS_MAPPING]
    return hint
