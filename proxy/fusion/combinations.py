"""Combinations: a document's normalized scores in several legs become one.

Each is the mean `back(Σ w into(s))`, weights summing to 1, that its two functions make: the
identity for the arithmetic mean, logarithm and exponential for the geometric, `1 / s` for the
harmonic.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

Combination: TypeAlias = Literal["arithmetic_mean", "geometric_mean", "harmonic_mean"]


@dataclass(frozen=True, slots=True)
class Mean:
    """What is done to scores before they are summed, and to the sum; None is the identity."""

    into: np.ufunc | None = None
    back: np.ufunc | None = None


COMBINATIONS: Mapping[Combination, Mean] = {
    "arithmetic_mean": Mean(),
    "geometric_mean": Mean(np.log, np.exp),
    "harmonic_mean": Mean(np.reciprocal, np.reciprocal),
}
