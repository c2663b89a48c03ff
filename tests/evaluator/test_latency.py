"""Latencies in bins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.latency import BINS, EDGES, LONGEST, RATIO, SHORTEST, bins, counts, quantile


def counted(seconds: list[float]) -> list[float]:
    """The counts of some latencies."""
    values = np.array(seconds)
    return list(counts(bins(values), np.ones(len(values), np.int64), BINS))


def test_edges_are_a_tenth_apart_from_a_tenth_of_a_millisecond_to_a_minute() -> None:
    """
    So a quantile is known to 10 %.
    """

    assert RATIO <= 1.1
    assert (SHORTEST, LONGEST) == (EDGES[0], pytest.approx(EDGES[-1]))


@given(st.lists(st.floats(1e-4, 60), min_size=1, max_size=200), st.sampled_from([0.5, 0.95, 0.99]))
def test_a_quantile_is_within_a_tenth(seconds: list[float], share: float) -> None:
    """
    Against the sorted latencies themselves.
    """
    found = quantile(np.array(counted(seconds)), share)
    exact = float(np.quantile(seconds, share, method="inverted_cdf"))

    assert found is not None
    assert exact / 1.1001 <= found <= exact * 1.1001


def test_what_is_not_measured_is_not_counted() -> None:
    """
    An error has no latency.
    """

    assert 0 == sum(counted([float("nan")]))


def test_a_timeout_is_slower_than_everything() -> None:
    """
    Where more than 1 - share overran, the quantile is the end of the scale.
    """

    assert LONGEST == quantile(np.array(counted([0.01] * 90 + [float("inf")] * 10)), 0.95)


def test_signs_take_away_again() -> None:
    """
    A correction leaves no trace.
    """
    at = bins(np.array([0.01, 0.01]))

    assert 0 == np.abs(counts(at, np.array([1, -1]), BINS)).sum()


def test_no_latencies_have_no_quantile() -> None:
    """
    None, not 0.
    """

    assert quantile(np.zeros(BINS), 0.5) is None
