"""One retrieval as arrays."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest

from proxy.fusion.table import LegTable
from proxy.model import RankedList
from tests.fakes import ranked


def test_a_document_has_one_number_in_all_legs():
    """
    Its number leads to its id, whichever leg it is read from.
    """
    table = LegTable.of({"x": ranked("a b c"), "y": ranked("c d a")})

    assert ["a", "b", "c"] == [table.ids[number] for number in table.documents["x"]]
    assert ["c", "d", "a"] == [table.ids[number] for number in table.documents["y"]]
    assert table.documents["x"][0] == table.documents["y"][2]


def test_later_legs_join_without_renumbering():
    """
    Documents keep their numbers, and the earlier table stays as it was.
    """
    first = LegTable.of({"x": ranked("a b")})

    both = first.joined({"y": ranked("b c")})

    assert first.documents["x"].tolist() == both.documents["x"].tolist()
    assert both.documents["x"][1] == both.documents["y"][0]
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

    without = table.nonnegative()

    assert ("a",) == without.lists["x"].ids
    assert ("b", "c") == without.lists["y"].ids
    assert ("x", "z") == without.bad
    assert (("a", "b"), ("z",)) == (table.lists["x"].ids, table.bad)


def test_without_negative_scores_it_is_the_same_table():
    """
    So that what is derived from it stays shared.
    """
    table = LegTable.of({"x": ranked("a b"), "y": RankedList()})

    assert table is table.nonnegative()


def test_values_are_spread_over_documents():
    """
    Each hit's value stands at its document's number, `missing` elsewhere.
    """
    table = LegTable.of({"x": ranked("a b"), "y": ranked("c b")})

    spread = table.spread("y", np.array([7.0, 8.0]), 0.5)

    by_id = {table.ids[number]: spread[number] for number in table.documents["x"]}
    assert {"a": 0.5, "b": 8.0} == by_id
    assert 7.0 == spread[table.documents["y"][0]]


def test_documents_that_no_asked_leg_found_are_hidden():
    """
    Adding `absent` takes them, and the places where nobody stands, below every score.
    """
    table = LegTable.of({"x": ranked("a b"), "y": ranked("c b")})

    shown = np.isfinite(table.absent(("x",)))
    both = np.isfinite(table.absent(("x", "y")))

    assert {"a", "b"} == {table.ids[number] for number in np.flatnonzero(shown)}
    assert ["a", "b", "c"] == [table.ids[number] for number in np.flatnonzero(both)]


def test_what_is_derived_is_made_once_per_key():
    """
    The second asker gets what the first had made.
    """
    table = LegTable.of({"x": ranked("a")})
    made = [table.derived(key, lambda: np.zeros(1)) for key in ("k", "k", "l")]

    assert made[0] is made[1]
    assert made[0] is not made[2]
