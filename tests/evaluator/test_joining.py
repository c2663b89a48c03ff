"""Which events count."""

from __future__ import annotations

import pytest

from evaluator.joining import refusal, shown_rank
from proxy.events.records import Event
from tests.evaluator.made import MINUTE, RULES, T0, event, impression

PAGE = impression(docs="a b c d e f", offset=2, size=3)
"""Shows c, d and e at ranks 3 to 5."""


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (event("click", "c"), None),
        (event("click", "e", position=5), None),
        (event("seen", None), None),
        (event("click", "b"), "refused_not_shown"),
        (event("click", "f"), "refused_not_shown"),
        (event("click", "z"), "refused_not_shown"),
        (event("click", None), "refused_not_shown"),
        (event("click", "c", position=1), "refused_position"),
        (event("click", "c", event_id="known"), "refused_duplicate"),
    ],
)
def test_an_event_is_held_against_its_page(sent: Event, expected: str | None) -> None:
    """
    The document among ranks from + 1 … from + size, the position the absolute rank, the id new.
    """

    assert expected == refusal(sent, T0, PAGE, T0, {"known"}, RULES)


@pytest.mark.parametrize(("after", "expected"), [(0, None), (1, "refused_late")])
def test_a_session_has_an_end(after: int, expected: str | None) -> None:
    """
    By the times of the record ids, to the millisecond.
    """
    ms = T0 + 30 * MINUTE + after

    assert expected == refusal(event("click", "c"), ms, PAGE, T0, (), RULES)


def test_ranks_are_absolute() -> None:
    """
    A page from 2 begins at rank 3.
    """

    assert 3 == shown_rank(PAGE, "c")
    assert shown_rank(PAGE, "a") is None
