"""A state as a Redis hash."""

from __future__ import annotations

import numpy as np

from evaluator.records import RecordId
from evaluator.state import SERVED, Newest, Slot, State, layout_of
from evaluator.state_codec import at_field, read, slot_field, written
from evaluator.sums import Sums
from tests.evaluator.made import T0

SLOTS = (Slot(472222, "live", "rrf.60-a", "v:1"), Slot(5666666, SERVED))
STATE = State(
    RecordId(T0, 3),
    T0 + 5,
    RecordId(T0 - 9, 1),
    {
        slot: Sums(np.full(layout_of(slot.role, 3).length, 0.1), np.array([7], dtype=np.uint64))
        for slot in SLOTS
    },
    {("live", "rrf.60-a"): Newest(T0, "v:1")},
)


def test_what_is_written_is_read() -> None:
    """
    Position, clock, since, cells and versions.
    """
    found = read(written(STATE, SLOTS, State()), 3)

    assert found is not None
    assert (STATE.position, STATE.clock, STATE.since) == (found.position, found.clock, found.since)
    assert STATE.newest == found.newest
    assert {slot: cell.pack() for slot, cell in STATE.cells.items()} == {
        slot: cell.pack() for slot, cell in found.cells.items()
    }
    assert at_field(STATE) == found.stored


def test_only_what_has_changed_is_written() -> None:
    """
    The cells that are named, and versions that weren't known.
    """
    fields = written(STATE, SLOTS[:1], STATE)

    assert {b"at", slot_field(SLOTS[0])} == set(fields)


def test_a_cell_that_has_expired_is_not_written() -> None:
    """
    A correction may come to a bucket that has left its window.
    """

    assert {b"at"} == set(written(STATE, [Slot(1, "live", "p", "v")], STATE))


def test_an_empty_hash_is_no_state() -> None:
    """
    Not one of zeros.
    """

    assert read({}, 3) is None
