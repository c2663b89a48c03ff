"""Clicks and dwell as grades."""

from __future__ import annotations

import itertools

import pytest

from evaluator.grading import Act, Grades, act, grades
from proxy.events.records import Event
from tests.evaluator.made import T0, event

SATISFIED_MS = 30_000


def click(rank: int, at: int) -> Act:
    """A click `at` ms."""
    return Act(rank, at, None)


@pytest.mark.parametrize(
    ("acts", "expected"),
    [
        ([], ()),
        ([click(2, 0)], ((2, 1),)),
        ([click(2, 0), Act(2, 40_000, 35_000)], ((2, 2),)),
        ([click(2, 0), Act(2, 40_000, 29_999)], ((2, 1),)),
        ([click(2, 0), Act(2, 29_999, 90_000)], ((2, 1),)),
        ([click(2, 0), Act(2, 30_000, 30_000)], ((2, 2),)),
        ([click(2, 0), Act(2, 9_000, 9_000), Act(2, 50_000, 45_000)], ((2, 2),)),
        ([click(2, 0), Act(3, 50_000, 45_000)], ((2, 1),)),
        ([Act(2, 50_000, 45_000)], ()),
        ([click(3, 0), click(1, 9), Act(1, 60_000, 31_000)], ((1, 2), (3, 1))),
        ([click(2, 0), click(2, 39_000), Act(2, 40_000, 35_000)], ((2, 2),)),
    ],
    ids=[
        "nothing", "click", "satisfied", "short dwell", "claimed more than time went by",
        "exactly", "the largest counts", "dwell on another document", "dwell without a click",
        "two documents", "the first click counts",
    ],
)  # fmt: skip
def test_grades(acts: list[Act], expected: Grades) -> None:
    """
    2 for a click and enough dwell, 1 for a click, in whatever order the events arrive.
    """
    for order in itertools.permutations(acts):
        assert expected == grades(order, SATISFIED_MS)


@pytest.mark.parametrize("type", ["beat", "hide", "back"])
def test_dwell_is_reported_by_three_events(type: str) -> None:
    """
    Whichever says how long.
    """

    assert Act(3, T0 + 5, 700) == act(event(type, "c", after=5, dwell_ms=700), 3)


@pytest.mark.parametrize("silent", [event("seen"), event("conversion"), event("hide")])
def test_other_events_change_no_grade(silent: Event) -> None:
    """
    Being seen, converting, and leaving without saying after how long.
    """

    assert act(silent, 1) is None
