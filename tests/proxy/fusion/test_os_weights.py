"""What OpenSearch asks of weights and legs."""

from __future__ import annotations

from math import inf, nan

import pytest

from proxy.fusion.os_weights import check_parts, check_rank_constant, left_out, too_many
from proxy.fusion.weights import Weights


def pairs(*weights: float) -> Weights:
    return tuple(zip("abcdef", weights, strict=False))


@pytest.mark.parametrize(
    "weights", [(), (0.5, 0.5), (0.0, 1.0), (0.5, 0.49), (0.5, 0.51), (0.3, 0.3, 0.4)]
)
def test_weights_sum_to_1_within_a_hundredth(weights: tuple[float, ...]):
    """
    Including the hundredth itself, in single precision.
    """
    assert check_parts(pairs(*weights)) is None


@pytest.mark.parametrize("weights", [(0.5, 0.511), (0.5, 0.489), (0.5, 0.6), (1.0, 1.0), (0.0,)])
def test_other_sums_are_refused(weights: tuple[float, ...]):
    """
    With the sum.
    """
    with pytest.raises(ValueError, match=rf"^weights: .* sum to {sum(weights):.6g}, not to 1"):
        check_parts(pairs(*weights))


@pytest.mark.parametrize("weight", [-0.2, 1.2, nan, inf])
def test_a_weight_is_from_0_to_1(weight: float):
    """
    Even where the sum is right.
    """
    with pytest.raises(ValueError, match=r"^weights\.b: .* is not from 0 to 1"):
        check_parts(pairs(1 - weight if weight > 1 else 0.5, weight)[::-1])


@pytest.mark.parametrize("constant", [0, -1, 10_001])
def test_a_constant_is_from_1_to_10000(constant: int):
    """
    Others are refused with the bounds.
    """
    assert (None, None) == (check_rank_constant(1), check_rank_constant(10_000))
    with pytest.raises(ValueError, match=f"^rank_constant: {constant} is not from 1 to 10000"):
        check_rank_constant(constant)


def test_a_hybrid_query_has_five_sub_queries_at_most():
    """
    A sixth leg is a problem.
    """
    assert [] == too_many(tuple("abcde"))
    assert ["kind: OpenSearch fuses at most 5 sub-queries, and there are 6"] == too_many(
        tuple("abcdef")
    )


@pytest.mark.parametrize(
    ("named", "problems"),
    [
        ((), []),
        (("a", "b", "c"), []),
        (("c",), ["weights: none for a, b; OpenSearch wants all legs or none"]),
    ],
)
def test_a_list_is_for_all_legs_or_not_given(named: tuple[str, ...], problems: list[str]):
    """
    OpenSearch counts, and only when a search runs.
    """
    assert problems == left_out("weights", named, ("a", "b", "c"))
