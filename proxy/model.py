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
class Filter:
    """A document passes when its `field` holds one of `values` (term: one; terms: several)."""

    field: str
    values: tuple[Scalar, ...]


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


@dataclass(frozen=True, slots=True)
class Degraded:
    """A stage that failed or overran while the rest went on; `reason` is of `DEGRADED_REASONS`."""

    stage: str
    reason: str


DEGRADED_REASONS: Final = (
    "timeout", "error", "refused", "bad_score", "no_vector", "empty_query", "partial",
)  # fmt: skip
"""Every reason a stage can be degraded for; a closed set, because it is a metric's label."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a pipeline made of a query.

    `ranked` reaches `query.depth`. `total` comes from the primary leg and is None where it did not
    answer. `stages` are (stage, seconds): `embed:<embedder>`, `leg:<leg>`, `fusion`, `rerank`.
    `seconds` is what the pipeline would have taken as live: the slowest leg with the embedding it
    waits for, then fusion, then rerank.
    """

    ranked: RankedList
    total: int | None
    degraded: tuple[Degraded, ...] = ()
    stages: tuple[tuple[str, float], ...] = ()
    seconds: float = 0.0
    own_legs: tuple[str, ...] = ()
    """Legs that ran for shadows only (empty for live)."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What happened when one pipeline met one query: an answer or an error, and the time taken."""

    pipeline: str
    version: str
    seconds: float
    answer: Answer | None = None
    error: Exception | None = None
