"""The built-in reranker: stored vectors, no model of its own and nothing to download."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Self

import numpy as np

from proxy.backends import Backend, Question, Vector
from proxy.errors import BackendError, NotAsked
from proxy.legs import Leg
from proxy.legs.knn import Knn
from proxy.legs.limits import place
from proxy.model import MAX_DEPTH, Role
from proxy.rerankers import Shortlist


@dataclass(frozen=True, slots=True)
class Embedding:
    """Cosine of the query's vector with the one that `field` of `index` stores, as (1 + cos) / 2.

    It names what it reads as a knn leg does, and comes to that leg's order among the first `top`
    candidates. `embedder` is None where every request brings its vector. A candidate without a
    vector gets no score. It has no connection of its own, so the recipe is the open reranker.
    """

    backend: str
    index: str
    field: str
    embedder: str | None = None
    top: int = 100
    timeout_ms: int = 250

    def __post_init__(self) -> None:
        place(self.index)
        if not 1 <= self.top <= MAX_DEPTH:
            raise ValueError(f"top: {self.top} is not from 1 to {MAX_DEPTH}")
        if self.timeout_ms < 1:
            raise ValueError(f"timeout_ms: {self.timeout_ms} is not at least 1")

    @property
    def identity(self) -> str:
        """What it compares: the vectors of a field of an index."""
        return f"embedding {self.index!r} {self.field!r}"

    @property
    def text(self) -> tuple[str, ...]:
        """It reads vectors, no text."""
        return ()

    @property
    def model(self) -> None:
        """There is none of its own."""

    @property
    def third_party(self) -> bool:
        """Nothing leaves the engine."""
        return False

    @property
    def price_per_1000(self) -> None:
        """It costs what the engine does."""

    def units(self, documents: int) -> int:
        """The documents."""
        return documents

    @property
    def reads(self) -> Sequence[Leg]:
        """The knn leg over the same vectors."""
        return (Knn(self.backend, self.index, self.field, self.embedder),)

    def problems(self) -> list[str]:
        """Nothing beyond its fields and what it `reads`."""
        return []

    @asynccontextmanager
    async def open(self, name: str, role: Role) -> AsyncIterator[Self]:
        """Itself: the vectors come from the backends of whoever asks."""
        yield self

    async def score(
        self, question: Question, shortlist: Shortlist, backends: Mapping[str, Backend]
    ) -> Mapping[str, float]:
        """Cosines by document id. Raises NotAsked without a vector of the query."""
        if question.vector is None:
            raise NotAsked("no vector of the query", reason="no_vector")
        stored = await backends[self.backend].vectors(self.index, self.field, shortlist.ids)
        return _cosines(question.vector, stored)


def _cosines(query: Vector, stored: Mapping[str, Vector]) -> dict[str, float]:
    """(1 + cos) / 2 by document id; a vector of zeros has no direction and no score.

    Raises BackendError for stored vectors of another length than the query's.
    """
    if not stored:
        return {}
    try:
        matrix = np.stack(list(stored.values())).astype(np.float64)
        products = matrix @ query.astype(np.float64)
    except ValueError as exc:
        raise BackendError(f"stored vectors don't fit the query's {query.shape}") from exc
    lengths = np.linalg.norm(matrix, axis=1) * np.linalg.norm(query.astype(np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = (1 + products / lengths) / 2
    return {
        doc: score for doc, score in zip(stored, scores.tolist(), strict=True) if score == score
    }
