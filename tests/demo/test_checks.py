"""What must hold at the end of a run."""

from __future__ import annotations

import pytest

from demo.board import Board, Estimate
from demo.checks import checks
from demo.totals import Sent, Totals

TOTALS = Totals(5, 0, {}, 5, 5, {}, 2, 2, {}, 30, 30, {})
SENT = Sent(5, 0, 2, 3)


def phases(*numbers: float | None) -> dict[str, Board]:
    boards = [Board((), Estimate(number), number) for number in numbers]
    return dict(zip(("before", "during", "after"), boards, strict=False))


def failing(served: dict[str, Board], explained: bool = True) -> set[str]:
    return {name for name, holds in checks(served, TOTALS, SENT, explained).items() if not holds}


def test_a_run_as_it_should_be_passes_everything():
    """
    The served line fell and came back, the totals agree, and explain tells what is served.
    """
    assert set() == failing(phases(0.5, 0.1, 0.4))


def test_a_page_that_explain_does_not_explain_is_a_failure():
    """
    The truth is measured on what users see, or not at all.
    """
    assert {"live_page_is_what_explain_says"} == failing(phases(0.5, 0.1, 0.4), explained=False)


@pytest.mark.parametrize(
    "served",
    [
        phases(0.5, 0.3, 0.5),
        phases(0.5, 0.1, 0.15),
        phases(0.5, None, 0.5),
        phases(0.5, 0.1),
        phases(),
    ],
)
def test_a_line_that_did_not_fall_and_recover_is_a_failure(served: dict[str, Board]):
    """
    A phase that could not be read is no pass.
    """
    assert {"served_ndcg_fell_and_recovered", "clicked_share_fell_and_recovered"} == failing(served)
