"""OpenSearch's normalizations, edge by edge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.fusion.os_bounds import LowerBound, UpperBound
from proxy.fusion.os_normalizations import l2, min_max, reciprocals, z_score

NO_LOWER, NO_UPPER = LowerBound("ignore"), UpperBound("ignore")


def single(*scores: float) -> np.ndarray:
    return np.array(scores, np.float32)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0.9, 0.7, 0.1], [1, 0.75, 0.001]),
        ([0.5, 0.2], [1, 0.001]),
        ([0.4], [1]),
        ([2, 2], [1, 1]),
        ([-1, -3], [2 / 3, 0.001]),
        ([-2, -2], [0.001, 0.001]),
        ([], []),
    ],
)
def test_min_max(scores: list[float], expected: list[float]):
    """
    0 is lifted to .001, nothing else is; below 0 the highest is held to be just above it.
    """
    normal = min_max(single(*scores), NO_LOWER, NO_UPPER)

    assert expected == pytest.approx(normal.tolist(), abs=2e-6)


@pytest.mark.parametrize(
    ("lower", "scores", "expected"),
    [
        (LowerBound("apply", 0.3), [0.8, 0.5, 0.2, 0.1], [1, 0.4, 1 / 7, 0.001]),
        (LowerBound("clip", 0.3), [0.8, 0.5, 0.25, 0.2], [1, 0.4, 0.001, 0.001]),
        (LowerBound("clip", 0.3), [0.8, 0.3, 0.2], [1, 0.001, 0.001]),
        (LowerBound("clip", 0.8), [0.8, 0.3], [1, 0.001]),
        (LowerBound("ignore", 0.3), [0.8, 0.45, 0.1], [1, 0.5, 0.001]),
        (LowerBound("clip", 0.3), [0.2], [1]),
        (LowerBound("clip", 0.9), [0.8, 0.45, 0.1], [1, 0.5, 0.001]),
    ],
)
def test_lower_bounds(lower: LowerBound, scores: list[float], expected: list[float]):
    """
    A bound stands for the lowest score; a single score is 1 whatever the bound.
    """
    normal = min_max(single(*scores), lower, NO_UPPER)

    assert expected == pytest.approx(normal.tolist(), abs=2e-6)


@pytest.mark.parametrize(
    ("upper", "scores", "expected"),
    [
        (UpperBound("apply", 0.6), [0.9, 0.5, 0.1], [1, 0.8, 0.001]),
        (UpperBound("clip", 0.6), [0.9, 0.5, 0.1], [1, 0.8, 0.001]),
        (UpperBound("clip", 0.6), [0.5, 0.3, 0.1], [0.8, 0.4, 0.001]),
        (UpperBound("ignore", 0.6), [0.9, 0.5, 0.1], [1, 0.5, 0.001]),
        (UpperBound("clip", 0.1), [0.9, 0.1], [1, 1]),
    ],
)
def test_upper_bounds(upper: UpperBound, scores: list[float], expected: list[float]):
    """
    A bound stands for the highest score; where it is the lowest, too, all are 1.
    """
    normal = min_max(single(*scores), NO_LOWER, upper)

    assert expected == pytest.approx(normal.tolist(), abs=2e-6)


def test_an_applied_bound_may_turn_an_order_around():
    """
    What is just above the bound falls below what is at it: the engine's edge, kept.
    """
    above, at = min_max(single(0.8, 0.31, 0.3, 0.1), LowerBound("apply", 0.3), NO_UPPER)[1:3]

    assert [0.02, 2 / 7] == pytest.approx([float(above), float(at)], abs=2e-6)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([4, 3], [0.8, 0.6]),
        ([5, 0], [1, 0]),
        ([0, 0], [0, 0]),
        ([3, -4], [0.6, -0.8]),
        ([7], [1]),
        ([3e-42, 1e-45], [0, 0]),
        ([], []),
    ],
)
def test_l2(scores: list[float], expected: list[float]):
    """
    A length of 0 makes 0; squares too small for single precision have such a length.
    """
    assert expected == pytest.approx(l2(single(*scores)).tolist(), abs=2e-6)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([8, 7, 2], [0.72587, 0.41478, 0.001]),
        ([10, 5, 4], [1.14065, 0.001, 0.001]),
        ([3, 2, 1], [1, 3, 0.001]),
        ([1], [1]),
        ([5], [5]),
        ([4, 4], [4, 4]),
        ([], []),
    ],
)
def test_z_score(scores: list[float], expected: list[float]):
    """
    A score at the mean becomes the highest raw one, so that 3, 2, 1 end in another order.
    """
    assert expected == pytest.approx(z_score(single(*scores)).tolist(), abs=5e-6)


def test_a_deviation_too_small_to_tell_makes_the_lowest_raw_score():
    """
    Half the smallest float is none; the others are at the mean, which is 0, too.
    """
    smallest = 1.401298464324817e-45

    assert [0.0, smallest, smallest, smallest] == z_score(single(smallest, 0, 0, 0)).tolist()


@pytest.mark.parametrize(
    ("constant", "expected"),
    [
        (60, [0.0163934426, 0.0161290323, 0.0158730159]),
        (1, [0.5, 0.3333333333, 0.25]),
        (10_000, [0.0000999900, 0.0000999800, 0.0000999700]),
    ],
)
def test_reciprocals_have_ten_decimals(constant: int, expected: list[float]):
    """
    Then they become single.
    """
    assert single(*expected).tolist() == reciprocals(constant, 3).tolist()


@given(st.integers(1, 10_000), st.integers(0, 200))
def test_reciprocals_fall(constant: int, size: int):
    """
    Or stay equal, where the tenth decimal can't tell ranks apart.
    """
    assert (np.diff(reciprocals(constant, size)) <= 0).all()
    assert size == reciprocals(constant, size).size
