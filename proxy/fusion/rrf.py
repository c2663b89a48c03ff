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

    @property
    def back(self) -> None:
        """The sum is the score."""

    def usable(self, table: LegTable) -> LegTable:
        """Every hit has a rank."""
        return table

    def coefficients(self, legs: tuple[str, ...]) -> list[float]:
        """The weights as they are."""
        return weights_of(self.weights, legs)

    def terms(self, table: LegTable, leg: str) -> FloatArray:
        """1 / (rank_constant + rank), 0 where the leg found nothing."""
        constant = self.rank_constant

        def make() -> FloatArray:
            return table.spread(leg, _reciprocals(constant, len(table.lists[leg])), 0.0)

        return table.derived((constant, leg), make)


@lru_cache(maxsize=1024)
def _reciprocals(constant: int, hits: int) -> FloatArray:
    """1 / (constant + rank) for ranks from 1 to `hits`."""
    reciprocals: FloatArray = 1 / (constant + np.arange(1.0, hits + 1))
    reciprocals.flags.writeable = False
    return reciprocals
