"""What a cluster answers, as typed structs that msgspec fills in one go.

Sources, highlights and aggregations stay bytes: the proxy passes them on and never looks inside.
What an engine adds is ignored, so that a newer one is read as well.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from msgspec import Raw, Struct, field
from msgspec.json import Decoder

Score: TypeAlias = float | str | None
"""A number; engines write infinities as texts, and null where nothing was scored."""
DocValue: TypeAlias = str | int | float | bool

NOTHING: Final = Raw(b"")
"""Stands for JSON that isn't there."""


class Shards(Struct, frozen=True, gc=False):
    """How many of the shards that were asked failed."""

    failed: int


class Clusters(Struct, frozen=True, gc=False):
    """How many of the remote clusters that were to be asked were left out."""

    skipped: int = 0


class Total(Struct, frozen=True, gc=False):
    """How many documents match; `gte`: at least so many."""

    value: int
    relation: str


class SearchHit(Struct, frozen=True, gc=False):
    """A document that was found; `fields` are doc values."""

    index: str = field(name="_index")
    id: str | None = field(name="_id", default=None)
    score: Score = field(name="_score", default=None)
    fields: dict[str, list[DocValue]] = {}
    source: Raw = field(name="_source", default=NOTHING)
    highlight: Raw = NOTHING


class SearchHits(Struct, frozen=True, gc=False):
    """The documents that were found, best first; no `total` where none was counted."""

    hits: list[SearchHit]
    total: Total | None = None


class SearchAnswer(Struct, frozen=True, gc=False):
    """What `_search` answers."""

    timed_out: bool
    hits: SearchHits
    shards: Shards = field(name="_shards")
    clusters: Clusters = field(name="_clusters", default=Clusters())
    aggregations: Raw = NOTHING

    @property
    def partial(self) -> bool:
        """Whether the engine ran out of time, or answered without some of what it holds."""
        return self.timed_out or self.shards.failed > 0 or self.clusters.skipped > 0


class Problem(Struct, frozen=True, gc=False):
    """Why a document couldn't be had."""

    type: str


class MgetDocument(Struct, frozen=True, gc=False):
    """A document by id: `found` or not, or the problem with it."""

    index: str = field(name="_index")
    id: str = field(name="_id")
    found: bool = False
    source: Raw = field(name="_source", default=NOTHING)
    error: Problem | None = None


class MgetAnswer(Struct, frozen=True, gc=False):
    """What `_mget` answers, in the order of what was asked."""

    docs: list[MgetDocument]


SEARCH: Final = Decoder(SearchAnswer)
MGET: Final = Decoder(MgetAnswer)
