"""The nouns of the proxy: frozen values and the one hash, standard library only.

What does not live here: how a noun is read from HTTP (`wire`), stored in the event log (`events`)
or made from the configuration (`build`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, Literal, TypeAlias

Role: TypeAlias = Literal["live", "shadow"]
SearchType: TypeAlias = Literal["search", "typeahead"]
EventType: TypeAlias = Literal["seen", "click", "beat", "hide", "back", "conversion"]
Scalar: TypeAlias = str | int | float | bool

MAX_DEPTH: Final = 100
"""The deepest list that a page, a record or a shadow carries."""
LOGGED_DEPTH: Final = 10
"""Lists are recorded to this depth at least, even for a shorter page."""


def digest(*fields: bytes) -> bytes:
    """blake2b (8 bytes) over length-prefixed fields: the hash behind every decision and version.

    >>> digest(b"ab", b"c") == digest(b"a", b"bc")
    False
    """
    hasher = blake2b(digest_size=8)
    for field in fields:
        hasher.update(len(field).to_bytes(4, "big"))
        hasher.update(field)
    return hasher.digest()


def unit(*fields: bytes) -> float:
    """A number in [0, 1), uniform over the fields' hashes."""
    return (int.from_bytes(digest(*fields), "big") >> 11) / (1 << 53)


@dataclass(frozen=True, slots=True)
class Terms:
    """A document passes when its `field` holds one of `values` (term: one; terms: several)."""

    field: str
    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """A document passes when a value of its `field` is within the bounds, of which one is given."""

    field: str
    gte: Scalar | None = None
    gt: Scalar | None = None
    lte: Scalar | None = None
    lt: Scalar | None = None


@dataclass(frozen=True, slots=True)
class Exists:
    """A document passes when it has a value in its `field`."""

    field: str


@dataclass(frozen=True, slots=True)
class Not:
    """A document passes when it doesn't pass `given`."""

    given: Filter


@dataclass(frozen=True, slots=True)
class AnyOf:
    """A document passes when it passes one of `given`."""

    given: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    """A document passes when it passes each of `given`."""

    given: tuple[Filter, ...]


Filter: TypeAlias = Terms | Range | Exists | Not | AnyOf | AllOf


def leaves(given: Filter) -> Iterator[Terms | Range | Exists]:
    """The filters within a filter that name a field."""
    match given:
        case Not(inner):
            yield from leaves(inner)
        case AnyOf(several) | AllOf(several):
            for each in several:
                yield from leaves(each)
        case _:
            yield given


@dataclass(frozen=True, slots=True)
class TermsFacet:
    """The `size` most frequent values of a field, with how many documents hold each."""

    name: str
    field: str
    size: int = 10


@dataclass(frozen=True, slots=True)
class RangeFacet:
    """How many documents have a value within each of `ranges`: (key or None, from, below)."""

    name: str
    field: str
    ranges: tuple[tuple[str | None, float | str | None, float | str | None], ...]


@dataclass(frozen=True, slots=True)
class HistogramFacet:
    """How many documents fall into each bucket: `interval` is a width, or a calendar's unit."""

    name: str
    field: str
    interval: float | str


@dataclass(frozen=True, slots=True)
class MetricFacet:
    """One number (`stats`: several) over the values of a field."""

    name: str
    field: str
    metric: Literal["min", "max", "avg", "sum", "value_count", "cardinality", "stats"]


Facet: TypeAlias = TermsFacet | RangeFacet | HistogramFacet | MetricFacet

COUNT_TO: Final = 10_000
"""How far matches are counted unless a request says otherwise, as engines do."""


@dataclass(frozen=True, slots=True)
class Counting:
    """What is counted of the documents that match: how many, exactly up to `upto`, and facets."""

    upto: int = COUNT_TO
    facets: tuple[Facet, ...] = ()


@dataclass(frozen=True, slots=True)
class Sources:
    """What of a document is shown: paths and patterns; `include` None is all of it, () nothing."""

    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HighlightField:
    """A field to be highlighted: up to `fragments` passages of `size` characters, 0 = all of it."""

    name: str
    size: int = 100
    fragments: int = 5


@dataclass(frozen=True, slots=True)
class Highlight:
    """Which fields show where the query's text matched, and what stands around a match."""

    fields: tuple[HighlightField, ...]
    before: str = "<em>"
    after: str = "</em>"


@dataclass(frozen=True, slots=True)
class Query:
    """What one user asks of one route; `filters` already include the route's mandatory ones.

    `id` is the token the user gets, `nonce` its 16 random bytes (what is hashed and logged).
    `user` and `session` are HMACs of what the client sent. `offset` is `from`, counted from 0.
    """

    id: str
    nonce: bytes
    route: str
    text: str
    size: int = 10
    offset: int = 0
    filters: tuple[Filter, ...] = ()
    vector: tuple[float, ...] | None = None
    user: bytes | None = None
    session: bytes | None = None
    type: SearchType = "search"
    counting: Counting = Counting()
    sources: Sources = Sources()
    highlight: Highlight | None = None

    @property
    def depth(self) -> int:
        """How deep lists must go: the page's end, and never less than what is logged."""
        return min(MAX_DEPTH, max(LOGGED_DEPTH, self.offset + self.size))


@dataclass(frozen=True, slots=True)
class RankedList:
    """Document ids, best first, each once, and their scores. Ranks count from 1, as everywhere.

    A score is None where the document was placed without one (beyond a reranker's `top`).
    """

    ids: tuple[str, ...] = ()
    scores: tuple[float | None, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def ranks(self) -> Iterator[tuple[int, str, float | None]]:
        """(rank, id, score), rank from 1."""
        return zip(range(1, len(self.ids) + 1), self.ids, self.scores, strict=True)

    def top(self, size: int) -> RankedList:
        """The first `size` of it."""
        return self if size >= len(self.ids) else RankedList(self.ids[:size], self.scores[:size])
