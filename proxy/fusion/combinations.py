"""Combinations: a document's normalized scores in several legs become one.

Each is a mean of the form `back(Σ w into(s))`, the weights summing to 1. The functions are chosen
so that `into` is 0 for what a leg doesn't have: a score of 0 in the arithmetic mean, of .001 in the
geometric and the harmonic, which lift smaller scores to it. So only hits need to be summed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from proxy.fusion.normalizations import FLOOR
from proxy.fusion.table import FloatArray

Combination: TypeAlias = Literal["arithmetic_mean", "geometric_mean", "harmonic_mean"]
Function: TypeAlias = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True)
class Mean:
    """What is done to scores before they are summed, and to the sum; None is the identity."""

    into: Function | None = None
    back: Function | None = None


def _logarithm(scores: FloatArray) -> FloatArray:
    """`ln(s / .001)`."""
    return np.log(np.maximum(scores, FLOOR) / FLOOR)


def _power(total: FloatArray) -> FloatArray:
    """`.001 exp(total)`, which for weights that sum to 1 is exp(Σ w ln s)."""
    return FLOOR * np.exp(total)


def _reciprocal(scores: FloatArray) -> FloatArray:
    """`1 / s - 1 / .001`."""
    return 1 / np.maximum(scores, FLOOR) - 1 / FLOOR


def _back(total: FloatArray) -> FloatArray:
    """`1 / (total + 1 / .001)`, which for weights that sum to 1 is 1 / Σ (w / s)."""
    return 1 / (total + 1 / FLOOR)


COMBINATIONS: Mapping[Combination, Mean] = {
    "arithmetic_mean": Mean(),
    "geometric_mean": Mean(_logarithm, _power),
    "harmonic_mean": Mean(_reciprocal, _back),
}
