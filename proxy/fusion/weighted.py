"""Weighted score fusion: normalize each leg's scores, then take a weighted mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proxy.fusion.combinations import COMBINATIONS, Combination
from proxy.fusion.normalizations import FLOOR, Normalization, normalized
from proxy.fusion.table import FloatArray, LegTable
from proxy.fusion.weights import Weights, check_weights, weights_of


@dataclass(frozen=True, slots=True)
class Weighted:
    """The weighted mean of a document's normalized scores; weights are divided by their sum.

    A leg that didn't find the document counts 0 in the arithmetic mean, .001 in the others, which
    need positive scores: they lift smaller ones to .001, and can't be had without normalization.
    """

    normalization: Normalization = "min_max"
    combination: Combination = "arithmetic_mean"
    weights: Weights = ()

    def __post_init__(self) -> None:
        if self.normalization == "none" and self.combination != "arithmetic_mean":
            raise ValueError(
                f"normalization: 'none' does not go with {self.combination}, "
                "which needs positive scores; choices: l2, min_max, z_score"
            )
        check_weights(self.weights)

    def usable(self, table: LegTable) -> LegTable:
        """l2 refuses negative scores: such hits are dropped, as those that aren't finite are.

        Their leg is then `bad` for this fusion alone.
        """
        return table.nonnegative() if self.normalization == "l2" else table

    def scores(self, table: LegTable, legs: tuple[str, ...]) -> FloatArray:
        """Each document's score, (documents,)."""
        values = [self._values(table, leg) for leg in legs]
        return COMBINATIONS[self.combination](values, weights_of(self.weights, legs))

    def _values(self, table: LegTable, leg: str) -> FloatArray:
        """What the leg says of each document, (documents,)."""
        column, size = table.columns[leg], len(table.ids)
        floor = 0.0 if self.combination == "arithmetic_mean" else FLOOR

        def make() -> FloatArray:
            values = normalized(self.normalization, column)
            return column.spread(np.maximum(values, floor) if floor else values, size, floor)

        return table.derived((self.normalization, floor, leg), make)
