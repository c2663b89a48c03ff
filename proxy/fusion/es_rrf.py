"""Elasticsearch's `rrf` retriever."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from proxy.fusion.dialect import Dialect, Release, before
from proxy.fusion.single import Single, by_document, weighted_sum
from proxy.fusion.table import LegTable, SingleArray
from proxy.fusion.weights import Weights, check_weights, weights_of

HIGHEST: Final = 2**31 - 1
"""The retriever reads an `int`."""


@dataclass(frozen=True, slots=True)
class ElasticsearchRRF(Dialect):
    """The sum of weight * (1 / (rank_constant + rank)), in single precision.

    `weights` are any of at least 0, default to 1 and aren't divided by their sum.
    """

    rank_constant: int = 60
    weights: Weights = ()

    def __post_init__(self) -> None:
        if not 1 <= self.rank_constant <= HIGHEST:
            raise ValueError(f"rank_constant: {self.rank_constant} is not from 1 to {HIGHEST}")
        check_weights(self.weights)

    def scores(self, table: LegTable, legs: tuple[str, ...]) -> SingleArray:
        """Leg after leg, as the retriever adds its children up."""

        def values(leg: str) -> SingleArray:
            return _reciprocals(self.rank_constant, len(table.lists[leg]))

        rows = by_document(table, legs, ("es_rrf", self.rank_constant), values)
        return weighted_sum(rows, weights_of(self.weights, legs))

    def problems_for(self, version: Release) -> list[str]:
        """The retriever came with 8.14, its weights with 9.2."""
        problems = before(version, (8, 14), "Elasticsearch", "kind: es_rrf")
        if any(weight != 1 for _, weight in self.weights):
            problems += before(version, (9, 2), "Elasticsearch", "weights: other than 1")
        return problems


@lru_cache(maxsize=1024)
def _reciprocals(constant: int, size: int) -> SingleArray:
    """1 / (constant + rank), ranks from 1 to `size`."""
    reciprocals = Single(1) / (constant + np.arange(1, size + 1)).astype(np.float32)
    reciprocals.flags.writeable = False
    return reciprocals
