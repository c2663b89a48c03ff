"""Additive cells."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.latency import BINS
from evaluator.sums import Sums, pipeline_layout, served_layout, smallest, total, unpack

LAYOUT = pipeline_layout(3)


def sums(seed: int, *queries: int) -> Sums:
    """Some cell."""
    vector = np.random.default_rng(seed).random(LAYOUT.length)
    return Sums(vector, np.array(queries, dtype=np.uint64))


def test_cells_add() -> None:
    """
    Numbers add, query keys unite.
    """
    whole = sums(1, 5, 9) + sums(2, 5, 7)

    assert (sums(1).vector + sums(2).vector).tolist() == whole.vector.tolist()
    assert [5, 7, 9] == whole.queries.tolist()


def test_thirty_of_many_keys_are_enough() -> None:
    """
    The smallest ones, so that the order in which they came doesn't matter.
    """
    keys = np.arange(100, dtype=np.uint64)

    assert list(range(30)) == smallest([keys[60:], keys[:70][::-1]]).tolist()


def test_a_cell_is_stored_as_it_is() -> None:
    """
    To the bit.
    """
    stored = unpack(sums(1, 5, 2**64 - 1).pack(), LAYOUT)

    assert sums(1).vector.tolist() == stored.vector.tolist()
    assert [5, 2**64 - 1] == stored.queries.tolist()


def test_bytes_of_another_layout_are_refused() -> None:
    """
    Too few numbers can't be read as more.
    """
    with pytest.raises(ValueError, match="buffer"):
        unpack(sums(1).pack(), pipeline_layout(4))


def test_parts_of_a_cell_do_not_overlap() -> None:
    """
    Measures under replicates, shares, latencies: together the whole vector.
    """
    cell = Sums(np.arange(LAYOUT.length, dtype=np.float64), smallest([]))

    assert (201, 4) == cell.table(LAYOUT).shape
    assert 201 * 4 == cell.share(LAYOUT, "judged_n")
    assert (BINS, LAYOUT.length - 1) == (
        len(cell.latencies(LAYOUT)),
        cell.latencies(LAYOUT)[-1],
    )


def test_what_was_served_has_no_latencies() -> None:
    """
    They belong to pipelines.
    """
    layout = served_layout(1)

    assert 0 == len(total([], layout).latencies(layout))


def test_the_total_of_nothing_is_zero() -> None:
    """
    In the layout's length.
    """

    assert LAYOUT.length == len(total([], LAYOUT).vector)
    assert 0 == total([], LAYOUT).vector.sum()
