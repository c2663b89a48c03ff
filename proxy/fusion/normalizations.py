"""Normalizations: one leg's scores, made comparable with another's.

Each takes finite float64 scores, (hits,), of which at least two differ, and keeps their order.
Where all are equal (or there is one) nothing can be told apart: all become 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

import numpy as np

from proxy.fusion.table import Column, FloatArray

Normalization: TypeAlias = Literal["min_max", "l2", "z_score", "none"]
FLOOR: Final = 0.001
"""The score of a leg's last hit, so that it differs from one that the leg doesn't have."""


def normalized(how: Normalization, column: Column) -> FloatArray:
    """The column's scores after normalization, (hits,)."""
    if how == "none":
        return column.scores
    if column.low == column.high:
        return np.ones_like(column.scores)
    return NORMALIZATIONS[how](column.scores)


def min_max(scores: FloatArray) -> FloatArray:
    """`.001 + .999 (s - min) / (max - min)`.

    >>> min_max(np.array([0.9, 0.7, 0.1])).tolist()
    [1.0, 0.75025, 0.001]
    """
    return FLOOR + (1 - FLOOR) * _stretched(scores)


def l2(scores: FloatArray) -> FloatArray:
    """`s / ‖s‖`, for scores that aren't negative.

    >>> l2(np.array([8.0, 6.0])).tolist()
    [0.8, 0.6]
    """
    # Divided by the largest first: the squares of tiny scores would vanish.
    part: FloatArray = scores / scores.max()
    return part / float(np.sqrt(np.square(part).sum()))


def z_score(scores: FloatArray) -> FloatArray:
    """`z - min z + .001`, z being (s - mean) / standard deviation (of a sample: n - 1).

    >>> z_score(np.array([3.0, 2.0, 1.0])).tolist()
    [2.001, 1.001, 0.001]
    """
    # z - min z is (s - min) / deviation, and neither shift nor scale changes it.
    part = _stretched(scores)
    return part / float(part.std(ddof=1)) + FLOOR


def _stretched(scores: FloatArray) -> FloatArray:
    """The scores moved to reach from 0 to 1."""
    low, high = float(scores.min()), float(scores.max())
    return (scores - low) / (high - low)


NORMALIZATIONS: Mapping[Normalization, Callable[[FloatArray], FloatArray]] = {
    "min_max": min_max,
    "l2": l2,
    "z_score": z_score,
}
"""What each does to scores that differ; `none` leaves them alone."""
