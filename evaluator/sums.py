"""Additive sums of many impressions: what is kept instead of the impressions.

One vector of float64 holds everything that adds: n and the sum of each measure, plain and under
every replicate; shares; latency counts. Beside it stand up to 30 hashes of query keys (the smallest
ones, so that they are a function of the set), enough to tell whether there were 30.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evaluator.latency import BINS
from evaluator.measures import FloatArray
from evaluator.stats import LEAST_QUERIES
from evaluator.weights import REPLICATES

Hashes: TypeAlias = NDArray[np.uint64]

PIPELINE_SHARES: Final = ("judged_n", "judged", "compared_n", "overlap", "rbo")
"""Sums beside a pipeline's measures; each mean is by the n before it (rbo by compared_n)."""
SERVED_SHARES: Final = ("clicked", "satisfied", "zero_result", "degraded")
"""Sums beside the measures of what was served; each mean is by n."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things stand in the vector: `measures` of them, then shares, then latency bins."""

    measures: int
    shares: tuple[str, ...]
    bins: int

    @property
    def columns(self) -> int:
        """n and the measures."""
        return 1 + self.measures

    @property
    def replicated(self) -> int:
        """How many numbers there are of them with all replicates."""
        return (1 + REPLICATES) * self.columns

    @property
    def length(self) -> int:
        """Of the vector."""
        return self.replicated + len(self.shares) + self.bins


def pipeline_layout(measures: int) -> Layout:
    """For one pipeline in one role."""
    return Layout(measures, PIPELINE_SHARES, BINS)


def served_layout(measures: int) -> Layout:
    """For what users were served, whichever pipeline it was."""
    return Layout(measures, SERVED_SHARES, 0)


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """One cell: a vector in some layout, and the smallest hashes of its query keys, ascending."""

    vector: FloatArray
    queries: Hashes

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.vector + other.vector, smallest((self.queries, other.queries)))

    def table(self, layout: Layout) -> FloatArray:
        """n and measures: (1 + replicates, columns); the first row is the plain one."""
        return self.vector[: layout.replicated].reshape(1 + REPLICATES, layout.columns)

    def share(self, layout: Layout, name: str) -> float:
        """The sum of that name."""
        return float(self.vector[layout.replicated + layout.shares.index(name)])

    def latencies(self, layout: Layout) -> FloatArray:
        """Counts by bin."""
        return self.vector[layout.length - layout.bins :]

    def pack(self) -> bytes:
        """As it is stored: the vector, then the hashes, 8 little-endian bytes each."""
        return self.vector.astype("<f8").tobytes() + self.queries.astype("<u8").tobytes()


def unpack(raw: bytes, layout: Layout) -> Sums:
    """What `pack` made; raises ValueError for bytes that can't be of this layout."""
    vector = np.frombuffer(raw, "<f8", count=layout.length).astype(np.float64)
    return Sums(vector, np.frombuffer(raw, "<u8", offset=8 * layout.length).astype(np.uint64))


def total(cells: Iterable[Sums], layout: Layout) -> Sums:
    """All of them together; zero for none."""
    gathered = list(cells)
    vector = np.zeros(layout.length)
    for cell in gathered:
        vector += cell.vector
    return Sums(vector, smallest([cell.queries for cell in gathered]))


def smallest(hashes: Iterable[Hashes]) -> Hashes:
    """The 30 smallest of all, each once."""
    gathered = [np.empty(0, np.uint64), *hashes]
    return np.unique(np.concatenate(gathered))[:LEAST_QUERIES]
