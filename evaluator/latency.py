"""Latencies as counts in bins a tenth apart: they add, and give any quantile to within 10 %."""

from __future__ import annotations

from typing import Final

import numpy as np

from evaluator.measures import FloatArray, IntArray

SHORTEST: Final = 1e-4
LONGEST: Final = 60.0
"""Seconds; what is shorter or longer lies in the first or the last bin."""
_STEPS: Final = 140
RATIO: Final = (LONGEST / SHORTEST) ** (1 / _STEPS)
"""From one edge to the next."""
EDGES: Final[FloatArray] = SHORTEST * RATIO ** np.arange(_STEPS + 1.0)
BINS: Final = _STEPS + 2
NOT_MEASURED: Final = -1
"""The bin of an answer that has no latency."""
OVERFLOW: Final = BINS - 1
"""The bin of an answer that did not come in time, whatever that was."""


def bins(seconds: FloatArray) -> IntArray:
    """The bin of each latency; `NOT_MEASURED` for NaN, `OVERFLOW` for infinity."""
    return np.where(np.isnan(seconds), NOT_MEASURED, np.searchsorted(EDGES, seconds))


def counts(binned: IntArray, signs: IntArray, bins: int) -> FloatArray:
    """How many latencies lie in each of `bins` bins (`BINS`, or 0 to count none), signs added."""
    measured = (binned != NOT_MEASURED) & (binned < bins)
    return np.bincount(binned[measured], signs[measured], bins).astype(np.float64)


def quantile(counts: FloatArray, share: float) -> float | None:
    """The latency in seconds that `share` of the answers did not exceed; None without answers.

    60 s means that or more: more than 1 - `share` of them overran.
    """
    total = float(counts.sum())
    if total <= 0:
        return None
    below = counts.cumsum()
    at = int(np.searchsorted(below, share * total))
    if at == 0:
        return SHORTEST
    if at >= OVERFLOW:
        return LONGEST
    within = (share * total - float(below[at - 1])) / float(counts[at])
    return float(EDGES[at - 1] * RATIO**within)
