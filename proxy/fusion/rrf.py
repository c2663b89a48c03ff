"""Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009), with weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from proxy.fusion.table import FloatArray, LegTable
from proxy.fusion.weights import Weights, check_weights, weights_of

HIGHEST: Final = 1_000_000
"""A larger constant would make all ranks alike."""


@dataclass(frozen=True, slots=True)
class RRF:
    """Score a document by the sum of weight / (rank_constant + rank) over the legs that found it.

    `rank_constant` is at least 1; `weights` default to 1 and are not divided by their sum.
    """

    rank_constant: int = 60
    weights: Weights = ()

    def __post_init__(self) -> None:
        if not 1 <= self.rank_constant <= HIGHEST:
            raise ValueError(f"rank_constant: {self.rank_constant} is not from 1 to {HIGHEST}")
        check_weights(self.weights)

    def usable(self, table: LegTable) -> LegTable:
        """Every hit has a rank."""
        return table

    def factors(self, legs: tuple[str, ...]) -> tuple[float, ...]:
        """The weights as they are."""
        return weights_of(self.weights, legs)

    def values(self, table: LegTable, legs: tuple[str, ...]) -> FloatArray:
        """1 / (rank_constant + rank), then 0."""
        return _reciprocals(self.rank_constant, table.sizes(legs))

    @property
    def back(self) -> None:
        """The sum is the score."""


@lru_cache(maxsize=1024)
def _reciprocals(constant: int, sizes: tuple[int, ...]) -> FloatArray:
    """1 / (constant + rank), ranks from 1 to each of `sizes` and at last infinite."""
    ranks = np.concatenate([*(np.arange(1.0, size + 1) for size in sizes), [np.inf]])
    reciprocals: FloatArray = 1 / (constant + ranks)
    reciprocals.flags.writeable = False
    return reciprocals
