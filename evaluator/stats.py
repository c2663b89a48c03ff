"""A mean and how far it can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from evaluator.measures import FloatArray

LEAST_SAMPLES: Final = 100
LEAST_QUERIES: Final = 30
"""Below these, or where replicates agree, there is no interval."""
INTERVAL: Final = (2.5, 97.5)
"""The percentiles of the replicates that are the interval's ends: nominal 95 %."""
SAME: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over `n` impressions and its 95 % interval; `low` and `high` are None without one."""

    mean: float
    n: int
    low: float | None = None
    high: float | None = None


def estimate(counts: FloatArray, sums: FloatArray, queries: int) -> Estimate | None:
    """From n and a measure's sum, each (1 + replicates,): the plain one, then the replicates'.

    None without impressions. There is no interval below 100 impressions or 30 distinct `queries`,
    and none where every replicate has the same mean: every score is the same then, and a bootstrap
    of identical values has no width, which is not certainty.
    """
    n = round(float(counts[0]))
    if n <= 0:
        return None
    mean = float(sums[0]) / n
    drawn = counts[1:] > 0
    means = sums[1:][drawn] / counts[1:][drawn]
    if n < LEAST_SAMPLES or queries < LEAST_QUERIES or not len(means) or _agree(means):
        return Estimate(mean, n)
    low, high = np.percentile(means, INTERVAL)
    return Estimate(mean, n, float(low), float(high))


def _agree(means: FloatArray) -> bool:
    return bool(np.ptp(means) <= SAME * max(1.0, float(np.abs(means).max())))
