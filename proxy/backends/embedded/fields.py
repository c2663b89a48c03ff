"""The schema of an index: which fields of a document are searched or filtered, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, TypeAlias

from config.named import Named
from proxy.backends.embedded.analyzers import AnalyzerName
from proxy.model import Scalar

FieldType: TypeAlias = Literal["text", "keyword", "number", "boolean"]
Similarity: TypeAlias = Literal["cosine", "dot"]

_FORBID: Final = {"extra": "forbid"}
_KINDS: Final[Mapping[FieldType, str]] = {
    "text": "a string", "keyword": "a string", "number": "a number", "boolean": "true or false",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the documents: `text` is analysed and searched, the other types are filtered by.

    `analyzer` is a text field's (default `standard`). A document may lack the field, or hold null,
    only where it is `optional`; it may hold a list of values, of which null is none.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = _FORBID

    type: FieldType
    analyzer: AnalyzerName | None = None
    optional: bool = False

    def __post_init__(self) -> None:
        if self.analyzer is not None and self.type != "text":
            raise ValueError(f"analyzer: a {self.type} field has none; only text is analysed")

    def complaint(self, value: object) -> str | None:
        """Why `value` can't be one of this field's, or None. Types are strict: "5" is no number."""
        match self.type:
            case "text" | "keyword":
                fits = isinstance(value, str) and _is_unicode(value)
            case "number":
                fits = isinstance(value, int | float) and _is_number(value)
            case "boolean":
                fits = isinstance(value, bool)
        return None if fits else f"{str(value)[:100]!r} is not {_KINDS[self.type]}"

    def values(self, document: Mapping[str, object], name: str) -> tuple[Scalar, ...]:
        """What `document` holds in this field, called `name`. Raises ValueError."""
        held = document.get(name)
        if held is None:
            if self.optional:
                return ()
            raise ValueError(f"no field {name!r} (one that may be absent is `optional: true`)")
        listed: list[Any] = held if isinstance(held, list) else [held]
        found = tuple(value for value in listed if value is not None)
        for value in found:
            if complaint := self.complaint(value):
                raise ValueError(f"field {name!r}: {complaint}")
        return found


@dataclass(frozen=True, slots=True)
class Index:
    """One index: a corpus of one JSON document a line, with its fields and perhaps its vectors.

    `vectors` is a .npy of float16 or float32 whose row i belongs to line i; `vector_field` is the
    name that legs know them by. `dot` wants vectors of length 1, as Elasticsearch's `dot_product`.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = _FORBID

    corpus: Path
    fields: Named[Field]
    vectors: Path | None = None
    vector_field: str = "embedding"
    similarity: Similarity = "cosine"

    def __post_init__(self) -> None:
        if not self.fields and self.vectors is None:
            raise ValueError("fields: an index without fields and vectors answers nothing")
        if self.vectors is not None and self.vector_field in dict(self.fields):
            raise ValueError(f"vector_field: {self.vector_field!r} is also one of the fields")

    def of_type(self, kind: FieldType) -> list[str]:
        """The names of its fields of one type."""
        return [name for name, field in self.fields if field.type == kind]


def _is_unicode(value: str) -> bool:
    """Whether it can be stored: a lone surrogate can't."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_number(value: float) -> bool:
    """Whether a double can hold it, if not to the last digit; true and false are no numbers."""
    try:
        return not isinstance(value, bool) and isfinite(float(value))
    except OverflowError:
        return False
