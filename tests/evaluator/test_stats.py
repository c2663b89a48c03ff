"""A mean and its interval; the simulation of its coverage is in tests/integration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from evaluator.stats import Estimate, estimate

Column = NDArray[np.float64]


def columns(n: int, scores: list[float]) -> tuple[Column, Column]:
    """n and sum, first plain, then two hundred replicates in turn with the given means."""
    means = np.resize(np.array(scores), 200)
    return np.full(201, float(n)), np.concatenate([[np.mean(scores) * n], means * n])


def test_ends_are_percentiles_of_the_replicates() -> None:
    """
    2.5 and 97.5.
    """
    made = estimate(*columns(1000, list(np.linspace(0, 1, 200))), queries=30)

    assert made == Estimate(pytest.approx(0.5), 1000, pytest.approx(0.025), pytest.approx(0.975))


@pytest.mark.parametrize(("n", "queries"), [(99, 30), (100, 29)])
def test_too_little_data_has_no_interval(n: int, queries: int) -> None:
    """
    The mean and its n stand alone.
    """
    made = estimate(*columns(n, [0.1, 0.9]), queries=queries)

    assert made == Estimate(pytest.approx(0.5), n)


@pytest.mark.parametrize("score", [0.0, 1.0, 0.3])
def test_equal_scores_have_no_interval(score: float) -> None:
    """
    No width is not certainty; nor is what rounding leaves of it.
    """
    counts, sums = columns(1000, [score])
    sums[1:] += 1e-13 * np.arange(200)

    assert estimate(counts, sums, queries=30) == Estimate(pytest.approx(score), 1000)


def test_without_impressions_there_is_nothing_to_say() -> None:
    """
    No estimate, not 0.
    """

    assert estimate(*columns(0, [0.0]), queries=0) is None


def test_a_replicate_without_impressions_is_left_out() -> None:
    """
    It has no mean.
    """
    counts, sums = columns(1000, list(np.linspace(0, 1, 200)))
    counts[1], sums[1] = 0, 0

    made = estimate(counts, sums, queries=30)

    assert made is not None
    assert made.low is not None
    assert 0.025 < made.low < 0.05


@given(st.lists(st.floats(0, 1), min_size=2, max_size=50))
def test_an_interval_is_ordered(scores: list[float]) -> None:
    """
    low <= high, within what was scored.
    """
    made = estimate(*columns(1000, scores), queries=30)

    assert made is not None
    if made.low is not None and made.high is not None:
        assert -1e-9 <= made.low <= made.high <= 1 + 1e-9
