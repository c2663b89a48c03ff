"""Elasticsearch's `linear` retriever."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import fsum, sqrt
from typing import Final, Literal, TypeAlias

import numpy as np

from proxy.fusion.dialect import Dialect, Release, before, of_no_leg
from proxy.fusion.single import Single, bounds, by_document, weighted_sum
from proxy.fusion.table import LegTable, SingleArray
from proxy.fusion.weights import Weights, check_weights, weights_of

Normalizer: TypeAlias = Literal["none", "minmax", "l2_norm"]
Normalizers: TypeAlias = tuple[tuple[str, Normalizer], ...]
"""(leg, normalizer) pairs; a leg that isn't named has the default."""

EPSILON: Final = Single(1e-6)
"""What is nearer to 0 counts as 0."""


@dataclass(frozen=True, slots=True)
class ElasticsearchLinear(Dialect):
    """The sum of weight * normalized score, in single precision.

    `normalizer` is that of the legs which `normalizers` doesn't name. `weights` are any of at
    least 0, default to 1 and aren't divided by their sum.
    """

    normalizer: Normalizer = "none"
    normalizers: Normalizers = ()
    weights: Weights = ()

    def __post_init__(self) -> None:
        check_weights(self.weights)

    def normalizer_of(self, leg: str) -> Normalizer:
        """The leg's own normalizer, or the default."""
        return dict(self.normalizers).get(leg, self.normalizer)

    def scores(self, table: LegTable, legs: tuple[str, ...]) -> SingleArray:
        """Leg after leg, as the retriever adds its children up."""

        def values(leg: str) -> SingleArray:
            return _NORMALIZERS[self.normalizer_of(leg)](table.single(leg))

        rows = by_document(table, legs, ("es_linear", self.normalizer, self.normalizers), values)
        return weighted_sum(rows, weights_of(self.weights, legs))

    def leg_problems(self, legs: tuple[str, ...]) -> list[str]:
        """Normalizers of legs that the pipeline doesn't have."""
        return of_no_leg("normalizers", tuple(leg for leg, _ in self.normalizers), legs)

    def problems_for(self, version: Release) -> list[str]:
        """The retriever came with 8.18, `l2_norm` with 8.19 and 9.1."""
        problems = before(version, (8, 18), "Elasticsearch", "kind: es_linear")
        if "l2_norm" in {self.normalizer, *(how for _, how in self.normalizers)}:
            needed = (9, 1) if version >= (9, 0) else (8, 19)
            problems += before(version, needed, "Elasticsearch", "normalizer: l2_norm")
        return problems


def none(scores: SingleArray) -> SingleArray:
    """`s`."""
    return scores


def minmax(scores: SingleArray) -> SingleArray:
    """`(s - min) / (max - min)`; 1 where they are as good as equal. The lowest is 0."""
    low, high = bounds(scores)
    if abs(low - high) < EPSILON:
        return np.ones_like(scores)
    part: SingleArray = (scores - low) / (high - low)
    return part


def l2_norm(scores: SingleArray) -> SingleArray:
    """`s / ‖s‖`, the squares in single precision and their sum in double; `s` where ‖s‖ is 0."""
    norm = sqrt(fsum((scores * scores).tolist()))
    return scores if norm < EPSILON else (scores / np.float64(norm)).astype(np.float32)


_NORMALIZERS: Final[Mapping[Normalizer, Callable[[SingleArray], SingleArray]]] = {
    "none": none,
    "minmax": minmax,
    "l2_norm": l2_norm,
}
