"""Elasticsearch's `rrf` retriever, edge by edge."""

from __future__ import annotations

import numpy as np
import pytest

from proxy.fusion import ElasticsearchRRF, LegTable, fuse_all
from proxy.model import RankedList
from tests.fakes import ranked


def fused(fusion: ElasticsearchRRF, size: int = 10, **lists: RankedList) -> dict[str, float]:
    (result,) = fuse_all(LegTable.of(lists), [(fusion, tuple(lists))], size)
    return dict(zip(result.ids, result.scores, strict=True))


@pytest.mark.parametrize("size", [3, 10])
def test_the_example_of_the_documentation(size: int):
    """
    rank_constant 1 over lexical 4 3 2 1 and knn 3 2 1 5; size 3 keeps 3, 2, 4.
    """
    scores = fused(ElasticsearchRRF(1), size, lexical=ranked("4 3 2 1"), knn=ranked("3 2 1 5"))

    expected = {"3": 0.8333333, "2": 0.5833333, "4": 0.5, "1": 0.45, "5": 0.2}
    assert dict([*expected.items()][:size]) == pytest.approx(scores, abs=2e-6)
    assert [*expected][:size] == [*scores]


def test_the_example_of_weights():
    """
    Weights .9 and .1, each first in its leg.
    """
    fusion = ElasticsearchRRF(weights=(("burgers", 0.9), ("pizza", 0.1)))

    scores = fused(fusion, burgers=ranked("x"), pizza=ranked("y"))

    assert {"x": 0.01475, "y": 0.00164} == pytest.approx(scores, abs=5e-6)


@pytest.mark.parametrize(
    ("weights", "score"),
    [((), 0.032522), ((("a", 2.0), ("b", 1.0)), 0.048916), ((("a", 2.0),), 0.048916)],
)
def test_weights_are_not_divided_by_their_sum(weights: tuple, score: float):
    """
    Ranks 1 and 2; a leg that isn't named weighs 1.
    """
    scores = fused(ElasticsearchRRF(weights=weights), a=ranked("d"), b=ranked("e d"))

    assert score == pytest.approx(scores["d"], abs=2e-6)


def test_the_sum_is_single():
    """
    Rounded at each step: the reciprocal, its product with the weight, each sum.
    """
    single = np.float32
    expected = single(single(0.3) * (single(1) / single(61)))
    expected = single(expected + single(single(0.7) * (single(1) / single(62))))

    scores = fused(
        ElasticsearchRRF(weights=(("a", 0.3), ("b", 0.7))), a=ranked("d"), b=ranked("e d")
    )

    assert float(expected) == scores["d"]


def test_a_leg_may_weigh_nothing():
    """
    What only it found is at the end, with a score of 0; that it scores 0 is no reason to drop it.
    """
    fusion = ElasticsearchRRF(weights=(("a", 0.0), ("b", 1.0)))

    assert {"y": 1 / 61, "x": 0.0} == pytest.approx(
        fused(fusion, a=RankedList(("x",), (0.0,)), b=ranked("y")), abs=1e-8
    )


@pytest.mark.parametrize("constant", [0, -1, 2**31])
def test_a_constant_is_an_int_of_at_least_1(constant: int):
    """
    Java's.
    """
    with pytest.raises(ValueError, match=f"^rank_constant: {constant} is not from 1 to 2147483647"):
        ElasticsearchRRF(constant)


def test_the_largest_constant_still_has_a_score():
    """
    The ranks beyond it don't wrap around.
    """
    assert {"a": 2.0**-31, "b": 2.0**-31} == fused(ElasticsearchRRF(2**31 - 1), x=ranked("b a"))


def test_a_negative_weight_is_refused():
    """
    As the retriever does.
    """
    with pytest.raises(ValueError, match=r"^weights\.a: -1.0 is not a finite number of at least 0"):
        ElasticsearchRRF(weights=(("a", -1.0), ("b", 2.0)))


@pytest.mark.parametrize(
    ("weights", "version", "problems"),
    [
        ((), (8, 13), ["kind: es_rrf needs Elasticsearch 8.14 or later"]),
        ((), (8, 14), []),
        ((("a", 1.0),), (9, 1), []),
        ((("a", 2.0),), (9, 1), ["weights: other than 1 needs Elasticsearch 9.2 or later"]),
        ((("a", 2.0),), (9, 2), []),
    ],
)
def test_which_version_has_what(weights: tuple, version: tuple[int, int], problems: list[str]):
    """
    Weights came late.
    """
    assert problems == ElasticsearchRRF(weights=weights).problems_for(version)
