"""OpenSearch's `normalization-processor`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from proxy.fusion.combinations import Combination
from proxy.fusion.dialect import Dialect, Release, before, of_no_leg
from proxy.fusion.os_bounds import LowerBound, UpperBound
from proxy.fusion.os_combinations import OS_COMBINATIONS
from proxy.fusion.os_normalizations import l2, min_max, reciprocals, z_score
from proxy.fusion.os_weights import check_parts, check_rank_constant, left_out, too_many
from proxy.fusion.single import by_document, weighed
from proxy.fusion.table import LegTable, SingleArray
from proxy.fusion.weights import Weights, weights_of

Technique: TypeAlias = Literal["min_max", "l2", "z_score", "rrf"]
LowerBounds: TypeAlias = tuple[tuple[str, LowerBound], ...]
UpperBounds: TypeAlias = tuple[tuple[str, UpperBound], ...]

DEFAULT_CONSTANT: Final = 60
_NO_LOWER: Final = LowerBound("ignore")
_NO_UPPER: Final = UpperBound("ignore")


@dataclass(frozen=True, slots=True)
class OpenSearchNormalization(Dialect):
    """The mean of a document's normalized scores, in single precision.

    `weights`, if any, are for all legs and sum to 1; without them each is 1. Bounds, by leg, are
    for `min_max` and `rank_constant` is for `rrf`. A hit that scores 0 counts as not found:
    OpenSearch's legs don't collect it.
    """

    normalization: Technique = "min_max"
    combination: Combination = "arithmetic_mean"
    weights: Weights = ()
    lower_bounds: LowerBounds = ()
    upper_bounds: UpperBounds = ()
    rank_constant: int = DEFAULT_CONSTANT

    def __post_init__(self) -> None:
        if self.normalization == "z_score" and self.combination != "arithmetic_mean":
            raise ValueError(
                f"combination: {self.combination!r} does not go with z_score; "
                "choices: arithmetic_mean"
            )
        check_parts(self.weights)
        check_rank_constant(self.rank_constant)
        for field, needed, given in (
            ("lower_bounds", "min_max", bool(self.lower_bounds)),
            ("upper_bounds", "min_max", bool(self.upper_bounds)),
            ("rank_constant", "rrf", self.rank_constant != DEFAULT_CONSTANT),
        ):
            if given and self.normalization != needed:
                raise ValueError(
                    f"{field}: has no meaning for {self.normalization}, only for {needed}"
                )

    def usable(self, table: LegTable) -> LegTable:
        """The table without hits that score 0."""
        return table.collected

    def scores(self, table: LegTable, legs: tuple[str, ...]) -> SingleArray:
        """Normalized leg by leg, then combined sub-query after sub-query."""

        how = ("os_norm", self.normalization, self.lower_bounds, self.upper_bounds)
        rows = by_document(
            table, legs, (*how, self.rank_constant), lambda leg: self._normalized(table, leg)
        )
        weights = weighed(weights_of(self.weights, legs))
        return OS_COMBINATIONS[self.combination](rows, weights)

    def _normalized(self, table: LegTable, leg: str) -> SingleArray:
        match self.normalization:
            case "min_max":
                lower = dict(self.lower_bounds).get(leg, _NO_LOWER)
                upper = dict(self.upper_bounds).get(leg, _NO_UPPER)
                return min_max(table.single(leg), lower, upper)
            case "l2":
                return l2(table.single(leg))
            case "z_score":
                return z_score(table.single(leg))
            case "rrf":
                return reciprocals(self.rank_constant, len(table.lists[leg]))

    def leg_problems(self, legs: tuple[str, ...]) -> list[str]:
        """Too many legs, weights or bounds for some of them only, bounds for what is no leg."""
        lower, upper = dict(self.lower_bounds), dict(self.upper_bounds)
        return [
            *too_many(legs),
            *left_out("weights", dict(self.weights), legs),
            *of_no_leg("lower_bounds", tuple(lower), legs),
            *left_out("lower_bounds", lower, legs),
            *of_no_leg("upper_bounds", tuple(upper), legs),
            *left_out("upper_bounds", upper, legs),
        ]

    def problems_for(self, version: Release) -> list[str]:
        """The processor came with 2.10; what it learned since needs later versions."""
        problems = before(version, (2, 10), "OpenSearch", "kind: os_norm")
        if self.normalization == "rrf":
            problems += before(version, (2, 19), "OpenSearch", "normalization: rrf")
        if self.rank_constant != DEFAULT_CONSTANT:
            # 2.19 takes it without a word and ranks with 60; bounds it ignores as quietly.
            problems += before(version, (3, 0), "OpenSearch", "rank_constant: of normalization rrf")
        if self.normalization == "z_score":
            problems += before(version, (3, 0), "OpenSearch", "normalization: z_score")
        if self.lower_bounds:
            problems += before(version, (3, 0), "OpenSearch", "lower_bounds: of min_max")
        if self.upper_bounds:
            problems += before(version, (3, 2), "OpenSearch", "upper_bounds: of min_max")
        return problems
