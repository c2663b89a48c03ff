"""The sums of a shard as they move on."""

from __future__ import annotations

import numpy as np

from evaluator.records import RecordId
from evaluator.state import SERVED, Delta, Newest, Slot, State, expired, in_window, layout_of
from evaluator.sums import Sums, smallest
from tests.evaluator.made import RULES, T0

NOW = T0 // RULES.bucket_ms
AT = RecordId(T0, 0)


def cell(value: float, role: str = "live") -> Sums:
    """A cell full of one number."""
    return Sums(np.full(layout_of(role, 3).length, value), smallest([]))


def test_a_delta_is_added() -> None:
    """
    To the cells it names; position and clock move on, and what came before stays as it was.
    """
    slot = Slot(NOW, "live", "p", "v")
    first = State().add(Delta({slot: cell(1.0)}), AT, T0, RULES)

    second = first.add(Delta({slot: cell(2.0)}), RecordId(T0, 1), T0 + 1, RULES)

    assert (1.0, 3.0) == (first.cells[slot].vector[0], second.cells[slot].vector[0])
    assert (RecordId(T0, 1), T0 + 1) == (second.position, second.clock)


def test_a_newer_version_stays_the_newest() -> None:
    """
    Whatever is folded later.
    """
    first = State().add(Delta({}, {("live", "p"): Newest(9, "new")}), AT, T0, RULES)

    second = first.add(Delta({}, {("live", "p"): Newest(3, "old")}), AT, T0, RULES)

    assert Newest(9, "new") == second.newest["live", "p"]


def test_what_has_left_its_window_is_dropped() -> None:
    """
    24 buckets of a window and 12 of a served window are kept, the one in progress among them.
    """
    kept, gone = Slot(NOW - 23, "live", "p", "v"), Slot(NOW - 24, "live", "p", "v")
    served = T0 // RULES.served_ms
    pages, old = Slot(served - 11, SERVED), Slot(served - 12, SERVED)

    assert [True, False, True, False] == [
        in_window(slot, T0, RULES) for slot in (kept, gone, pages, old)
    ]

    before = State(cells={kept: cell(1.0), gone: cell(1.0)})
    after = before.add(Delta(), AT, T0, RULES)
    assert ({kept}, {gone}) == (set(after.cells), set(expired(before, after)))
