"""Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009), with weights."""

from __future__ import annotations

from dataclasses import dataclass
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

    def scores(self, table: LegTable, legs: tuple[str, ...]) -> FloatArray:
        """Each document's score, (documents,). An infinite rank adds nothing."""
        total = np.zeros(len(table.ids))
        for leg, weight in zip(legs, weights_of(self.weights, legs), strict=True):
            total += weight / (table.ranks(leg) + self.rank_constant)
        return total
