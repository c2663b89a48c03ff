"""Weighted score fusion: normalize each leg's scores, then take a weighted mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proxy.fusion.combinations import COMBINATIONS, Combination
from proxy.fusion.normalizations import FLOOR, NORMALIZATIONS, Normalization
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

    @property
    def back(self) -> np.ufunc | None:
        """What makes the weighted sum the mean."""
        return COMBINATIONS[self.combination].back

    def usable(self, table: LegTable) -> LegTable:
        """l2 refuses negative scores: such hits are dropped, as those that aren't finite are.

        Their leg is then `bad` for this fusion alone.
        """
        return table.nonnegative() if self.normalization == "l2" else table

    def coefficients(self, legs: tuple[str, ...]) -> list[float]:
        """The weights as shares."""
        weights = weights_of(self.weights, legs)
        total = sum(weights)
        return [weight / total for weight in weights]

    def terms(self, table: LegTable, leg: str) -> FloatArray:
        """The leg's normalized scores, as the mean sums them."""

        def make() -> FloatArray:
            values = NORMALIZATIONS[self.normalization](table.scores(leg))
            into = COMBINATIONS[self.combination].into
            if into is None:
                return table.spread(leg, values, 0.0)
            lifted: FloatArray = into(table.spread(leg, np.maximum(values, FLOOR), FLOOR))
            return lifted

        return table.derived((self.normalization, self.combination, leg), make)
