"""Single precision, as Java's `float`."""

from __future__ import annotations

import numpy as np

from proxy.fusion.single import (
    LARGEST,
    SMALLEST,
    bounds,
    by_document,
    in_turn,
    weighed,
    weighted_sum,
)
from proxy.fusion.table import LegTable
from tests.fakes import ranked

TABLE = LegTable.of({"x": ranked("a b"), "y": ranked("c b")})


def test_the_smallest_and_the_largest_are_javas():
    """
    `Float.MIN_VALUE` is the smallest above 0.
    """
    assert np.nextafter(np.float32(0), np.float32(1)) == SMALLEST
    assert np.nextafter(np.float32(np.inf), np.float32(0)) == LARGEST


def test_a_leg_without_the_document_has_0_for_it():
    """
    A row for each leg; documents as the table places them: a, b, c.
    """
    rows = by_document(TABLE, ("x", "y"), "scores", TABLE.single)

    assert [[2, 1, 0], [0, 1, 2]] == rows.tolist()
    assert np.float32 == rows.dtype


def test_rows_are_made_once():
    """
    Who asks for the same again gets the same array, which nobody can change.
    """
    table = LegTable.of(TABLE.lists)
    first = by_document(table, ("x", "y"), "ones", lambda leg: np.ones(2, np.float32))

    again = by_document(table, ("x", "y"), "ones", lambda leg: np.zeros(2, np.float32))
    other = by_document(table, ("x", "y"), "zeros", lambda leg: np.zeros(2, np.float32))

    assert first is again
    assert not first.flags.writeable
    assert 0 == other.sum()


def test_a_weighted_sum_is_rounded_after_each_leg():
    """
    1 is lost beside 2 ** 24, as often as it comes; the order is the one given.
    """
    large = np.array([[2.0**24], [1], [1]], np.float32)

    assert [2.0**24] == weighted_sum(large, (1.0, 1.0, 1.0)).tolist()
    assert [2.0**24 + 2] == weighted_sum(large[::-1], (1.0, 1.0, 1.0)).tolist()
    assert [2.0**24 + 2] == weighted_sum(large, (1.0, 2.0, 0.0)).tolist()


def test_numbers_in_turn_are_rounded_after_each():
    """
    numpy's `sum` would pair them first.
    """
    assert 2.0**24 == in_turn(np.array([2.0**24, *[1] * 100], np.float32))
    assert 0 == in_turn(np.array([], np.float32))


def test_the_highest_score_is_above_0():
    """
    Where all are below it, the smallest float is held for the highest.
    """
    assert (1, 3) == bounds(np.array([3, 2, 1], np.float32))
    assert (-3, SMALLEST) == bounds(np.array([-1, -3], np.float32))
    assert (0, SMALLEST) == bounds(np.array([0], np.float32))


def test_weights_are_single_too():
    """
    .3 isn't the float nearest to .3.
    """
    assert (np.float32(0.3), np.float32(1)) == weighed((0.3, 1.0))
