"""OpenSearch's `score-ranker-processor`."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.fusion.dialect import Dialect, Release, before
from proxy.fusion.os_normalizations import reciprocals
from proxy.fusion.os_weights import check_parts, check_rank_constant, left_out, too_many
from proxy.fusion.single import by_document, weighted_sum
from proxy.fusion.table import LegTable, SingleArray
from proxy.fusion.weights import Weights, weights_of


@dataclass(frozen=True, slots=True)
class OpenSearchRRF(Dialect):
    """The sum of weight / (rank_constant + rank), in single precision.

    `rank_constant` is from 1 to 10000. `weights`, if any, are for all legs and sum to 1; without
    them each is 1. A hit that scores 0 has no rank: OpenSearch's legs don't collect it.
    """

    rank_constant: int = 60
    weights: Weights = ()

    def __post_init__(self) -> None:
        check_rank_constant(self.rank_constant)
        check_parts(self.weights)

    def usable(self, table: LegTable) -> LegTable:
        """The table without hits that score 0."""
        return table.collected

    def scores(self, table: LegTable, legs: tuple[str, ...]) -> SingleArray:
        """Sub-query after sub-query."""

        def values(leg: str) -> SingleArray:
            return reciprocals(self.rank_constant, len(table.lists[leg]))

        rows = by_document(table, legs, ("os_rrf", self.rank_constant), values)
        return weighted_sum(rows, weights_of(self.weights, legs))

    def leg_problems(self, legs: tuple[str, ...]) -> list[str]:
        """Too many legs, or weights for some of them only."""
        return too_many(legs) + left_out("weights", dict(self.weights), legs)

    def problems_for(self, version: Release) -> list[str]:
        """The processor came with 2.19, its weights with 3.1."""
        problems = before(version, (2, 19), "OpenSearch", "kind: os_rrf")
        if self.weights:
            problems += before(version, (3, 1), "OpenSearch", "weights: of reciprocal ranks")
        return problems
