"""Weighted score fusion: normalize each leg's scores, then take a weighted mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from proxy.fusion.combinations import COMBINATIONS, Combination, Function
from proxy.fusion.normalizations import NORMALIZATIONS, Normalization
from proxy.fusion.table import FloatArray, LegTable
from proxy.fusion.weights import Weights, check_weights, shares_of

_NOT_FOUND: Final = np.zeros(1)


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
        return table.nonnegative if self.normalization == "l2" else table

    def factors(self, legs: tuple[str, ...]) -> tuple[float, ...]:
        """The weights as shares."""
        return shares_of(self.weights, legs)

    def values(self, table: LegTable, legs: tuple[str, ...]) -> FloatArray:
        """The legs' normalized scores as the mean sums them, then 0."""
        key = (self.normalization, self.combination, legs)
        values = table.values.get(key)
        if values is None:
            values = table.values[key] = self._values(table, legs)
        return values

    def _values(self, table: LegTable, legs: tuple[str, ...]) -> FloatArray:
        normalize, mean = NORMALIZATIONS[self.normalization], COMBINATIONS[self.combination]
        normal = np.concatenate([*(normalize(table.scores(leg)) for leg in legs), _NOT_FOUND])
        return normal if mean.into is None else mean.into(normal)

    @property
    def back(self) -> Function | None:
        """What makes the weighted sum the mean."""
        return COMBINATIONS[self.combination].back
