"""What weights may be, and what is left of them."""

from __future__ import annotations

from math import inf, nan

import pytest

from proxy.fusion.weights import LARGEST, check_weights, shares_of, weights_of


@pytest.mark.parametrize("weight", [-1.0, -1e-9, nan, inf, 1e39])
def test_a_weight_is_a_finite_number_of_at_least_0(weight: float):
    """
    Anything else is refused, and the message names the leg.
    """
    with pytest.raises(ValueError, match=r"^weights\.dense: .* is not a finite number"):
        check_weights((("bm25", 1.0), ("dense", weight)))


def test_one_weight_must_be_above_0():
    """
    Legs that all weigh nothing can't be ranked by.
    """
    with pytest.raises(ValueError, match=r"^weights: .* are all 0"):
        check_weights((("bm25", 0.0), ("dense", 0.0)))


@pytest.mark.parametrize("weights", [(), (("a", 0.0), ("b", 5.0)), (("a", LARGEST),)])
def test_what_may_be_weighed(weights: tuple[tuple[str, float], ...]):
    """
    None, some zeros and the largest float32 are fine.
    """
    assert check_weights(weights) is None


def test_a_leg_that_is_not_named_weighs_1():
    """
    Whatever the others weigh.
    """
    assert (1.0, 0.25) == weights_of((("b", 0.25),), ("a", "b"))
    assert (1.0, 1.0) == weights_of((), ("a", "b"))


def test_when_only_weightless_legs_are_left_they_weigh_the_same():
    """
    A failed leg that had all the weight leaves an order by the others.
    """
    assert (1.0, 1.0) == weights_of((("a", 1.0), ("b", 0.0), ("c", 0.0)), ("b", "c"))


def test_shares_sum_to_1():
    """
    Each weight by their sum.
    """
    assert (0.75, 0.25) == shares_of((("a", 3.0),), ("a", "b"))
