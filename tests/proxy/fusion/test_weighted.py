"""Weighted score fusion, edge by edge."""

from __future__ import annotations

import pytest

from proxy.fusion import LegTable, Weighted, fuse_all
from proxy.model import RankedList


def scored(**scores: float) -> RankedList:
    """Documents by score, best first."""
    order = sorted(scores, key=lambda doc: -scores[doc])
    return RankedList(tuple(order), tuple(scores[doc] for doc in order))


def fused(fusion: Weighted, **lists: RankedList) -> dict[str, float]:
    (result,) = fuse_all(LegTable.of(lists), [(fusion, tuple(lists))], 100)
    return dict(zip(result.ids, result.scores, strict=True))


def test_arithmetic_counts_0_for_a_leg_that_misses_the_document():
    """
    The leg stays in the divisor.
    """
    scores = fused(Weighted(), x=scored(a=9, b=1), y=scored(b=5))

    assert pytest.approx({"a": 0.5, "b": 0.5005}) == scores


def test_weights_are_divided_by_their_sum():
    """
    3 and 1 are .75 and .25.
    """
    weights = (("x", 3.0), ("y", 1.0))

    scores = fused(Weighted(weights=weights), x=scored(a=9, b=1), y=scored(b=5))

    assert pytest.approx({"a": 0.75, "b": 0.75 * 0.001 + 0.25}) == scores


@pytest.mark.parametrize(
    ("combination", "alone", "both"),
    [
        ("geometric_mean", (1 * 0.001) ** 0.5, (0.001 * 1) ** 0.5),
        ("harmonic_mean", 2 / (1 / 1 + 1 / 0.001), 2 / (1 / 0.001 + 1 / 1)),
    ],
)
def test_geometric_and_harmonic_count_a_thousandth(combination, alone: float, both: float):
    """
    A leg that misses the document says what it says of its last hit.
    """
    scores = fused(Weighted(combination=combination), x=scored(a=9, b=1), y=scored(b=5))

    assert pytest.approx({"a": alone, "b": both}) == scores


def test_small_l2_values_are_lifted_for_the_geometric_mean():
    """
    0 would make the logarithm infinite; arithmetic keeps it.
    """
    lists = {"x": scored(a=5, b=0), "y": scored(a=1, b=1)}

    geometric = fused(Weighted("l2", "geometric_mean"), **lists)
    arithmetic = fused(Weighted("l2"), **lists)

    assert geometric["b"] == pytest.approx((0.001 * 1) ** 0.5)
    assert arithmetic["b"] == pytest.approx(0.5)


def test_l2_refuses_negative_scores():
    """
    Such a hit is dropped, and its leg is bad for l2 alone.
    """
    table = LegTable.of({"x": scored(a=4, b=3, c=-1), "y": scored(b=1)})

    l2, plain = Weighted("l2"), Weighted()
    (without, with_it) = fuse_all(table, [(l2, ("x", "y")), (plain, ("x", "y"))], 10)

    assert {"a", "b"} == set(without.ids)
    assert {"a", "b", "c"} == set(with_it.ids)
    assert (("x",), ()) == (l2.usable(table).bad, plain.usable(table).bad)


def test_without_normalization_scores_are_averaged_as_they_are():
    """
    Negative ones, too, and what a leg misses counts 0.
    """
    scores = fused(Weighted("none"), x=scored(a=10, b=-4), y=scored(a=2))

    assert {"a": 6.0, "b": -2.0} == scores


def test_a_document_below_0_is_still_above_what_nobody_found():
    """
    Only found documents are listed.
    """
    (result,) = fuse_all(
        LegTable.of({"x": scored(a=-1), "y": scored(b=1)}), [(Weighted("none"), ("x",))], 10
    )

    assert ("a",) == result.ids


@pytest.mark.parametrize("combination", ["geometric_mean", "harmonic_mean"])
def test_none_goes_with_the_arithmetic_mean_alone(combination):
    """
    Raw scores may be 0 or negative: refused when it is made, with the choices.
    """
    with pytest.raises(
        ValueError, match=r"^normalization: 'none' .* choices: l2, min_max, z_score"
    ):
        Weighted("none", combination)


def test_bad_weights_are_refused():
    """
    At load, not when the first query comes.
    """
    with pytest.raises(ValueError, match="are all 0"):
        Weighted(weights=(("a", 0.0),))


@pytest.mark.parametrize("normalization", ["min_max", "l2", "z_score"])
@pytest.mark.parametrize("combination", ["arithmetic_mean", "geometric_mean", "harmonic_mean"])
def test_a_leg_alone_keeps_its_order(normalization, combination):
    """
    Whatever is done to its scores.
    """
    leg = scored(d=9, a=4, c=2, b=1)

    assert ["d", "a", "c", "b"] == list(fused(Weighted(normalization, combination), x=leg))
