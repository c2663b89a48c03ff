"""Many fusions at once."""

from __future__ import annotations

import pytest

from proxy.fusion import RRF, LegTable, Weighted
from proxy.fusion.alone import fuse_alone
from proxy.fusion.batch import fuse_batch
from proxy.model import RankedList
from tests.fakes import ranked

FUSIONS = [
    RRF(),
    RRF(1, (("x", 0.3),)),
    Weighted(),
    Weighted("l2", "geometric_mean", (("y", 0.0), ("x", 1.0))),
    Weighted("z_score", "harmonic_mean"),
    Weighted("none"),
]


@pytest.mark.parametrize("legs", [("x",), ("x", "y"), ("x", "y", "z"), ("y", "z")])
@pytest.mark.parametrize("size", [0, 1, 3, 10])
def test_a_batch_is_each_alone(legs: tuple[str, ...], size: int):
    """
    To the last bit, for any legs and any size.
    """
    lists = {"x": ranked("a b c d"), "y": ranked("d e a"), "z": ranked("f a e")}
    table = LegTable.of(lists)

    batch = fuse_batch(FUSIONS, table, legs, size)

    assert [fuse_alone(fusion, table, legs, size) for fusion in FUSIONS] == batch


def test_nothing_found_is_nothing_fused():
    """
    A list for each fusion, all empty.
    """
    table = LegTable.of({"x": RankedList(), "y": RankedList()})

    assert [RankedList()] * len(FUSIONS) == fuse_batch(FUSIONS, table, ("x", "y"), 10)


def test_many_legs_are_summed_one_by_one():
    """
    Twelve legs, and one document in all of them: however numpy might pair its summands.
    """
    legs = tuple(f"leg{number:02}" for number in range(12))
    table = LegTable.of(
        {leg: ranked(" ".join([*map(str, range(place)), "a"])) for place, leg in enumerate(legs)}
    )

    alone = [fuse_alone(fusion, table, legs, 1) for fusion in FUSIONS]

    assert alone == fuse_batch(FUSIONS, table, legs, 1)
