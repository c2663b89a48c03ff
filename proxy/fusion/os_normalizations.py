"""The techniques of OpenSearch's `normalization`, in single precision, zeros and all.

Each takes the scores of one leg's hits, best first, and returns as many; unlike the plain
normalizations, some change their order.
"""

from __future__ import annotations

from functools import lru_cache
from math import fsum, sqrt
from typing import Final

import numpy as np

from proxy.fusion.os_bounds import LowerBound, UpperBound
from proxy.fusion.single import Single, bounds, in_turn
from proxy.fusion.table import SingleArray

LAST: Final = Single(0.001)
"""What would be 0, so that it differs from a document that the leg doesn't have."""
ONE: Final = Single(1)


def min_max(scores: SingleArray, lower: LowerBound, upper: UpperBound) -> SingleArray:
    """`(s - min) / (max - min)`, 0 lifted to .001; all equal or a single one make 1."""
    low, high = bounds(scores)
    lowest, highest = lower.lowest(scores, low, high), upper.highest(scores, low, high)
    apart = highest != lowest
    part: SingleArray = np.divide(
        scores - lowest, highest - lowest, out=np.ones_like(scores), where=apart
    )
    part[part == 0] = LAST
    if upper.mode == "clip":
        part[scores > highest] = ONE
    if lower.mode == "clip":
        part[scores < lowest] = LAST
    if high == low:
        part[scores == high] = ONE
    return part


def l2(scores: SingleArray) -> SingleArray:
    """`s / ‖s‖`; 0 where ‖s‖ is."""
    norm = Single(sqrt(in_turn(scores * scores)))
    return np.zeros_like(scores) if norm == 0 else scores / norm


def z_score(scores: SingleArray) -> SingleArray:
    """`(s - mean) / deviation` (of a sample), what isn't above 0 lifted to .001.

    A score at the mean becomes the leg's highest raw score; all become the lowest where the
    deviation is 0.
    """
    if not scores.size:
        return scores
    exact = scores.tolist()
    middle = fsum(exact) / len(exact)
    squares = fsum((score - middle) ** 2 for score in exact)
    mean = Single(middle)
    deviation = Single(sqrt(squares / (len(exact) - 1))) if len(exact) > 1 else Single(0)
    if deviation == 0:
        part = np.full_like(scores, min(exact))
    else:
        part = (scores - mean) / deviation
        part[part <= 0] = LAST
    part[scores == mean] = max(exact)
    return part


@lru_cache(maxsize=1024)
def reciprocals(constant: int, size: int) -> SingleArray:
    """1 / (constant + rank), ranks from 1 to `size`, to ten decimals, half a unit rounded up."""
    ranks = constant + np.arange(1, size + 1)
    units = (2 * 10**10 + ranks) // (2 * ranks)
    rounded = (units / 1e10).astype(np.float32)
    rounded.flags.writeable = False
    return rounded
