"""The fields of indices, from the engine's `_mapping`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import msgspec

Fields: TypeAlias = Mapping[str, "Field"]
"""The fields of one index by their whole names, `title.keyword` as well."""

TEXT: Final = frozenset({"text", "match_only_text", "search_as_you_type", "annotated_text"})
"""What is searched by its words."""
VECTORS: Final = frozenset({"dense_vector", "knn_vector"})
SPARSE: Final = frozenset({"sparse_vector", "rank_features", "rank_feature"})
UNFILTERED: Final = TEXT | VECTORS | SPARSE | {"object", "nested", "percolator", "semantic_text"}
"""What can't be filtered by its whole value."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field's type; for vectors their length, where the mapping says it."""

    type: str
    dimension: int | None = None
    indexed: bool = True
    doc_values: bool = True


class _Index(msgspec.Struct):
    mappings: dict[str, Any] = {}


_DECODER: Final = msgspec.json.Decoder(dict[str, _Index])


def fields_of(body: bytes) -> dict[str, Fields]:
    """By index, its fields. Raises msgspec.MsgspecError for what is no mapping."""
    return {
        name: dict(_flat("", index.mappings.get("properties", {})))
        for name, index in _DECODER.decode(body).items()
    }


def _flat(prefix: str, properties: Mapping[str, Any]) -> Iterator[tuple[str, Field]]:
    for name, given in properties.items():
        whole = f"{prefix}{name}"
        yield whole, _field(given, "properties" in given)
        yield from _flat(f"{whole}.", given.get("properties", {}))
        yield from _flat(f"{whole}.", given.get("fields", {}))


def _field(given: Mapping[str, Any], holds: bool) -> Field:
    dimension = given.get("dims", given.get("dimension"))
    return Field(
        given.get("type", "object" if holds else ""),
        dimension if isinstance(dimension, int) else None,
        given.get("index", True) is not False,
        given.get("doc_values", True) is not False,
    )
