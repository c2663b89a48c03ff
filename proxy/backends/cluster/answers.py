"""What a cluster answers, as typed structs that msgspec fills in one go.

Sources, highlights and aggregations stay bytes: the proxy passes them on and never looks inside.
What an engine adds is ignored, so that a newer one is read as well.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from msgspec import UNSET, Raw, Struct, UnsetType, field
from msgspec.json import Decoder

Score: TypeAlias = float | str | None
"""A number; engines write infinities and NaN as texts, and null where nothing was scored."""


class Shards(Struct, frozen=True, gc=False):
    """How many shards were asked, and how many of them failed."""

    total: int = 0
    failed: int = 0


class Total(Struct, frozen=True, gc=False):
    """How many documents match; `gte`: at least so many."""

    value: int
    relation: str = "eq"


class SearchHit(Struct, frozen=True):
    """One document found; `fields` are doc values, `highlight` and `source` JSON objects."""

    index: str = field(name="_index", default="")
    id: str | None = field(name="_id", default=None)
    score: Score = field(name="_score", default=None)
    fields: dict[str, list[object]] | None = None
    source: Raw | UnsetType = field(name="_source", default=UNSET)
    highlight: Raw | UnsetType = UNSET


class SearchHits(Struct, frozen=True):
    """The documents found, best first; `total` is absent where none was to be counted."""

    hits: list[SearchHit]
    total: Total | None = None


class SearchAnswer(Struct, frozen=True):
    """What `_search` answers."""

    timed_out: bool
    hits: SearchHits
    took: int = 0
    shards: Shards = field(name="_shards", default=Shards())
    aggregations: Raw | UnsetType = UNSET


class MgetDocument(Struct, frozen=True):
    """A document by id, or why it can't be had."""

    index: str = field(name="_index", default="")
    id: str = field(name="_id", default="")
    found: bool = False
    source: Raw | UnsetType = field(name="_source", default=UNSET)
    error: Raw | UnsetType = UNSET


class MgetAnswer(Struct, frozen=True):
    """What `_mget` answers, in the order of what was asked."""

    docs: list[MgetDocument]


SEARCH: Final = Decoder(SearchAnswer)
MGET: Final = Decoder(MgetAnswer)
