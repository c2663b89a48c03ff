"""One fusion by itself."""

from __future__ import annotations

import pytest

from proxy.fusion import RRF, LegTable, Weighted
from proxy.fusion.alone import fuse_alone
from proxy.model import RankedList
from tests.fakes import ranked

TABLE = LegTable.of({"x": ranked("a b c"), "y": ranked("c d")})


def test_it_sums_the_legs_it_is_given():
    """
    Documents of other legs have no place in the list.
    """
    assert ("c", "a", "b", "d") == fuse_alone(RRF(1), TABLE, ("x", "y"), 10).ids
    assert RankedList(("c", "d"), (1 / 2, 1 / 3)) == fuse_alone(RRF(1), TABLE, ("y",), 10)


@pytest.mark.parametrize("size", [0, 1, 2, 10])
def test_ties_at_the_cut_go_to_the_smaller_id(size: int):
    """
    Scores that are all equal are cut by id.
    """
    table = LegTable.of({"x": RankedList(("c", "a", "b"), (2.0, 2.0, 2.0))})

    assert tuple("abc"[:size]) == fuse_alone(Weighted(), table, ("x",), size).ids


def test_a_first_leg_without_hits_changes_nothing():
    """
    The next one starts the sum.
    """
    table = LegTable.of({"x": RankedList(), "y": ranked("c d")})

    assert ("c", "d") == fuse_alone(RRF(), table, ("x", "y"), 10).ids
