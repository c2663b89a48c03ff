"""One retrieval as arrays."""

from __future__ import annotations

from math import inf, nan

import pytest

from proxy.fusion.table import LegTable
from proxy.model import RankedList
from tests.fakes import ranked


def test_later_legs_join():
    """
    The earlier table stays as it was.
    """
    first = LegTable.of({"x": RankedList(("a", "b"), (nan, 1.0))})

    both = first.joined({"y": ranked("b c"), "w": RankedList(("d",), (inf,))})

    assert {"x", "y", "w"} == both.lists.keys()
    assert ("w", "x") == both.bad
    assert {"x"} == first.lists.keys()


@pytest.mark.parametrize("bad", [nan, inf, -inf, 1e39, -1e39, None])
def test_a_hit_whose_score_is_not_finite_is_dropped(bad: float | None):
    """
    Those after it move up a rank, and its leg is bad; beyond float32 counts as infinite.
    """
    table = LegTable.of(
        {"x": RankedList(("a", "b", "c"), (3.0, bad, 1.0)), "y": ranked("b"), "z": RankedList()}
    )

    assert RankedList(("a", "c"), (3.0, 1.0)) == table.lists["x"]
    assert ("x",) == table.bad
    assert [3.0, 1.0] == table.scores("x").tolist()
    assert ("b",) == table.lists["y"].ids


def test_large_scores_are_no_bad_scores():
    """
    Each is judged by itself, not by what they sum to.
    """
    table = LegTable.of({"x": RankedList(("a", "b"), (3.4e38, -3.4e38))})

    assert () == table.bad
    assert 2 == len(table.lists["x"])


def test_negative_scores_are_dropped_for_who_refuses_them():
    """
    The legs that had some are bad, as are those that were; the table itself keeps them.
    """
    lists = {
        "x": RankedList(("a", "b"), (1.0, -1.0)),
        "y": RankedList(("b", "c"), (2.0, 0.0)),
        "z": RankedList(("a", "c"), (nan, 1.0)),
    }
    table = LegTable.of(lists)

    without = table.nonnegative

    assert ("a",) == without.lists["x"].ids
    assert ("b", "c") == without.lists["y"].ids
    assert ("x", "z") == without.bad
    assert (("a", "b"), ("z",)) == (table.lists["x"].ids, table.bad)


def test_hits_that_score_0_are_not_collected():
    """
    Nothing is bad about them; what single precision can't tell from 0 is 0, too.
    """
    lists = {"x": RankedList(("a", "b", "c"), (1.0, 0.0, -1.0)), "y": RankedList(("d",), (1e-50,))}
    table = LegTable.of({**lists, "z": RankedList(("e",), (nan,))})

    without = table.collected

    assert RankedList(("a", "c"), (1.0, -1.0)) == without.lists["x"]
    assert RankedList() == without.lists["y"]
    assert (("z",), 3) == (without.bad, len(table.lists["x"]))
    assert LegTable.of({"x": ranked("a b")}).collected.lists == {"x": ranked("a b")}


def test_without_negative_scores_it_is_the_same_table():
    """
    So that what is derived from it stays shared.
    """
    table = LegTable.of({"x": ranked("a b"), "y": RankedList()})

    assert table is table.nonnegative


def test_a_single_score_is_what_its_engine_holds():
    """
    JSON says .1; the engine meant the float next to it. Made once, and nobody can change it.
    """
    table = LegTable.of({"x": RankedList(("a",), (0.1,))})

    assert [0.10000000149011612] == table.single("x").tolist()
    assert table.single("x") is table.single("x")
    assert not table.single("x").flags.writeable


def test_sizes_are_those_of_the_legs_asked_for():
    """
    In their order.
    """
    table = LegTable.of({"x": ranked("a b"), "y": ranked("c"), "z": RankedList()})

    assert (1, 0, 2) == table.sizes(("y", "z", "x"))


def test_documents_get_their_numbers_once():
    """
    The second asker gets what the first had made.
    """
    table = LegTable.of({"x": ranked("a"), "y": ranked("b a")})

    assert table.places(("x", "y")) is table.places(("x", "y"))
    assert ("a", "b") == table.places(("x", "y")).ids
