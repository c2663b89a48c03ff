"""Reciprocal rank fusion."""

from __future__ import annotations

import pytest

from proxy.fusion import RRF, LegTable, fuse_all
from proxy.model import RankedList
from tests.fakes import ranked


def fused(fusion: RRF, size: int = 10, **lists: RankedList) -> dict[str, float | None]:
    (result,) = fuse_all(LegTable.of(lists), [(fusion, tuple(lists))], size)
    return dict(zip(result.ids, result.scores, strict=True))


def test_the_example_of_elasticsearchs_documentation():
    """
    rank_constant 1 over lexical 4 3 2 1 and knn 3 2 1 5.
    """
    scores = fused(RRF(1), lexical=ranked("4 3 2 1"), knn=ranked("3 2 1 5"))

    assert ["3", "2", "4", "1", "5"] == list(scores)
    assert [0.8333, 0.5833, 0.5, 0.45, 0.2] == [round(score, 4) for score in scores.values()]


def test_a_size_cuts_the_same_order():
    """
    Size 3 keeps 3, 2, 4.
    """
    assert ["3", "2", "4"] == list(
        fused(RRF(1), 3, lexical=ranked("4 3 2 1"), knn=ranked("3 2 1 5"))
    )


@pytest.mark.parametrize(
    ("weights", "score"),
    [
        ((), 1 / 61 + 1 / 62),
        ((("lexical", 0.7), ("knn", 0.3)), 0.7 / 61 + 0.3 / 62),
        ((("lexical", 2.0),), 0.0489159),
        ((("knn", 0.0), ("lexical", 1.0)), 1 / 61),
    ],
)
def test_weights_multiply_and_are_not_divided(weights: tuple, score: float):
    """
    Ranks 1 and 2, constant 60.
    """
    scores = fused(RRF(weights=weights), lexical=ranked("d"), knn=ranked("e d"))

    assert score == pytest.approx(scores["d"], abs=1e-7)


def test_the_burgers_example_of_elasticsearch():
    """
    Weights .9 and .1, each first in its leg.
    """
    weights = (("burgers", 0.9), ("pizza", 0.1))

    scores = fused(RRF(weights=weights), burgers=ranked("x"), pizza=ranked("y"))

    assert {"x": 0.01475, "y": 0.00164} == {doc: round(s, 5) for doc, s in scores.items()}


@pytest.mark.parametrize("constant", [0, -1, 1_000_001])
def test_the_rank_constant_is_at_least_1(constant: int):
    """
    The message names field, value and range.
    """
    with pytest.raises(ValueError, match=rf"^rank_constant: {constant} is not from 1 to 1000000"):
        RRF(constant)


def test_bad_weights_are_refused():
    """
    At load, not when the first query comes.
    """
    with pytest.raises(ValueError, match=r"^weights\.a"):
        RRF(weights=(("a", -1.0),))


def test_scores_do_not_matter():
    """
    Only the order of a leg does.
    """
    table = {"a": RankedList(("x", "y"), (-5.0, -9.0)), "b": ranked("y z")}

    assert fused(RRF(), **table) == fused(RRF(), a=ranked("x y"), b=ranked("y z"))


def test_it_is_a_value():
    """
    Equal fusions are equal and hash the same.
    """
    assert RRF(60, (("a", 2.0),)) == RRF(weights=(("a", 2.0),))
    assert 1 == len({RRF(), RRF(60)})
