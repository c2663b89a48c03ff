"""Combinations: a document's normalized scores in several legs become one.

Each takes `values`, one array (documents,) per leg in name order, and as many weights, of which at
least one is above 0. Zero weights take no part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np

from proxy.fusion.table import FloatArray

Combination: TypeAlias = Literal["arithmetic_mean", "geometric_mean", "harmonic_mean"]


def arithmetic_mean(values: Sequence[FloatArray], weights: Sequence[float]) -> FloatArray:
    """`Σ w s / Σ w`.

    >>> arithmetic_mean([np.ones(1), np.zeros(1), np.full(1, 0.6)], [0.45, 0.15, 0.4]).round(4)
    array([0.69])
    """
    return _sum(values, weights) / sum(weights)


def geometric_mean(values: Sequence[FloatArray], weights: Sequence[float]) -> FloatArray:
    """`exp(Σ w ln s / Σ w)`, for positive values."""
    return np.exp(_sum([np.log(value) for value in values], weights) / sum(weights))


def harmonic_mean(values: Sequence[FloatArray], weights: Sequence[float]) -> FloatArray:
    """`Σ w / Σ (w / s)`, for positive values."""
    return sum(weights) / _sum([1 / value for value in values], weights)


def _sum(values: Sequence[FloatArray], weights: Sequence[float]) -> FloatArray:
    """The weighted sum, always in this order."""
    total = np.zeros_like(values[0])
    for value, weight in zip(values, weights, strict=True):
        total += weight * value
    return total


COMBINATIONS: Mapping[
    Combination, Callable[[Sequence[FloatArray], Sequence[float]], FloatArray]
] = {
    "arithmetic_mean": arithmetic_mean,
    "geometric_mean": geometric_mean,
    "harmonic_mean": harmonic_mean,
}
