"""One leg's scores, normalized."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.fusion.normalizations import NORMALIZATIONS, l2, min_max, none, z_score

scores = st.lists(st.floats(0, 3.4e38), min_size=2, max_size=30)


def close(expected: list[float], actual: np.ndarray) -> bool:
    return np.allclose(expected, actual, rtol=0, atol=1e-12)


def test_min_max_reaches_from_a_thousandth_to_1():
    """
    The last hit still differs from a document that the leg doesn't have.
    """
    assert close([1, 0.001 + 0.999 * 0.75, 0.001], min_max(np.array([0.9, 0.7, 0.1])))
    assert close([1, 0.001], min_max(np.array([-3.0, -9.0])))


def test_l2_divides_by_the_length():
    """
    (3, 4) has length 5, whatever its scale.
    """
    assert close([0.8, 0.6], l2(np.array([4.0, 3.0])))
    assert close([0.8, 0.6], l2(np.array([4e-200, 3e-200])))
    assert close([1, 0], l2(np.array([5.0, 0.0])))


def test_z_score_starts_at_a_thousandth():
    """
    The deviation is the sample's: 2, 7, 8 have mean 17/3 and deviation 3.2146.
    """
    deviation = np.std([2, 7, 8], ddof=1)

    assert close(
        [6 / deviation + 0.001, 5 / deviation + 0.001, 0.001], z_score(np.float64([8, 7, 2]))
    )


@pytest.mark.parametrize("how", ["min_max", "l2", "z_score"])
@pytest.mark.parametrize("equal", [[7.0], [2.0, 2.0, 2.0], [0.0, 0.0], [1e-300]])
def test_equal_scores_become_1(how: str, equal: list[float]):
    """
    As does a single one: nothing tells them apart.
    """
    assert [1.0] * len(equal) == NORMALIZATIONS[how](np.array(equal)).tolist()


def test_none_leaves_scores_alone():
    """
    Equal or negative ones, too.
    """
    assert [2.0, 2.0, -1.0] == none(np.array([2.0, 2.0, -1.0])).tolist()


@pytest.mark.parametrize("how", NORMALIZATIONS.values())
def test_no_scores_stay_none(how: Callable):
    """
    A leg that found nothing has nothing to normalize.
    """
    assert [] == how(np.array([])).tolist()


@given(scores, st.sampled_from(sorted(NORMALIZATIONS)))
def test_the_order_is_kept_and_every_score_is_finite(given_scores: list[float], how: str):
    """
    A worse hit never gets a higher score than a better one.
    """
    best_first = np.sort(np.array(given_scores))[::-1]

    normal = NORMALIZATIONS[how](best_first)

    assert np.isfinite(normal).all()
    assert (np.diff(normal) <= 0).all()


@given(scores)
def test_min_max_and_l2_stay_within_0_and_1(given_scores: list[float]):
    """
    The best of min_max is exactly 1, its worst exactly .001.
    """
    array = np.array(given_scores)

    stretched, part = min_max(array), l2(array)

    assert 1 == stretched.max()
    assert stretched.min() in (0.001, 1)
    assert part.min() >= 0
    assert part.max() <= 1 + 1e-12
