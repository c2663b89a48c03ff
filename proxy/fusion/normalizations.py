"""Normalizations: one leg's scores, made comparable with another's.

Each takes finite float64 scores, (hits,), keeps their order and returns as many. Where all are
equal (or there is one) nothing can be told apart: all become 1, but for `none`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

import numpy as np

from proxy.fusion.table import FloatArray

Normalization: TypeAlias = Literal["min_max", "l2", "z_score", "none"]
FLOOR: Final = 0.001
"""The score of a leg's last hit, so that it differs from one that the leg doesn't have."""


def min_max(scores: FloatArray) -> FloatArray:
    """`.001 + .999 (s - min) / (max - min)`.

    >>> min_max(np.array([0.9, 0.7, 0.1])).tolist()
    [1.0, 0.75025, 0.001]
    """
    part = _stretched(scores)
    if part is None:
        return np.ones_like(scores)
    part *= 1 - FLOOR
    part += FLOOR
    return part


def l2(scores: FloatArray) -> FloatArray:
    """`s / ‖s‖`, for scores that aren't negative.

    >>> l2(np.array([8.0, 6.0])).tolist()
    [0.8, 0.6]
    """
    low, high = _bounds(scores)
    if low == high:
        return np.ones_like(scores)
    # Divided by the largest first: the squares of tiny scores would vanish.
    part = scores / high
    return part / float(np.sqrt(np.dot(part, part)))


def z_score(scores: FloatArray) -> FloatArray:
    """`z - min z + .001`, z being (s - mean) / standard deviation (of a sample: n - 1).

    >>> z_score(np.array([3.0, 2.0, 1.0])).tolist()
    [2.001, 1.001, 0.001]
    """
    part = _stretched(scores)
    if part is None:
        return np.ones_like(scores)
    # z - min z is (s - min) / deviation, and neither shift nor scale changes it.
    apart = part - part.sum() / part.size
    deviation = float(np.sqrt(np.dot(apart, apart) / (part.size - 1)))
    return part / deviation + FLOOR


def none(scores: FloatArray) -> FloatArray:
    """`s`."""
    return scores


def _bounds(scores: FloatArray) -> tuple[float, float]:
    """The lowest and the highest; both 0 where there are none."""
    if not scores.size:
        return 0.0, 0.0
    return float(np.minimum.reduce(scores)), float(np.maximum.reduce(scores))


def _stretched(scores: FloatArray) -> FloatArray | None:
    """The scores moved to reach from 0 to 1, as a new array; None where all are equal."""
    low, high = _bounds(scores)
    if low == high:
        return None
    part = scores - low
    part /= high - low
    return part


NORMALIZATIONS: Mapping[Normalization, Callable[[FloatArray], FloatArray]] = {
    "min_max": min_max,
    "l2": l2,
    "z_score": z_score,
    "none": none,
}
