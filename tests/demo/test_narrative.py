"""The sentences at the end are about the numbers of this run."""

from __future__ import annotations

from demo.board import Board, Estimate, Row
from demo.narrative import LIMIT, narrative


def row(pipeline: str, true: float | None, clicks: float | None, role: str = "shadow") -> Row:
    return Row(pipeline, role, Estimate(clicks, n=500), 0.4, true)


LIVE = row("rrf60", 0.70, 0.50, "live")
SERVED = {
    phase: Board((), Estimate(mean), clicked)
    for phase, mean, clicked in (("before", 0.5, 0.6), ("during", 0.02, 0.1), ("after", 0.48, 0.55))
}


def told(*rows: Row, served: dict[str, Board] = SERVED) -> str:
    return narrative(Board(rows), served, "misaligned")


def test_a_better_shadow_that_looks_worse_is_named():
    """
    Clicks mislead where truth and clicks order a shadow and live differently.
    """
    text = told(row("minmax50", 0.72, 0.45), LIVE, row("bm25", 0.67, 0.40))

    assert "`minmax50` (true 0.720, clicks 0.450)" in text
    assert "better than live `rrf60` (true 0.700, clicks 0.500)" in text
    assert "`bm25`" not in text


def test_nothing_misleads_where_clicks_agree_with_the_truth():
    """
    The sentence is left out in a run that doesn't show it.
    """
    assert "mislead" not in told(LIVE, row("bm25", 0.67, 0.40), row("new", 0.72, 0.55))


def test_what_looks_the_same_does_not_mislead():
    """
    A difference that the table doesn't show is not talked about.
    """
    assert "mislead" not in told(LIVE, row("new", 0.72, 0.4999))


def test_what_is_unknown_misleads_nobody():
    """
    A number that could not be measured is neither better nor worse.
    """
    assert "mislead" not in told(LIVE, row("new", None, 0.4), row("other", 0.8, None))


def test_the_accident_is_told_with_its_three_readings():
    """
    Before, during and after, of quality and of clicks.
    """
    text = told(LIVE)

    assert "0.500, then 0.020, then 0.480" in text
    assert "60%, 10%, 55%" in text


def test_a_run_that_was_cut_short_tells_of_no_accident():
    """
    Without all three readings there is nothing to compare.
    """
    assert "halfway" not in told(LIVE, served={})


def test_the_broken_pipeline_is_called_worthless_with_its_truth():
    """
    Its judged share says how little is known of it.
    """
    assert "worthless (true 0.004)" in told(LIVE, row("misaligned", 0.004, 0.0))


def test_the_limit_of_the_numbers_is_always_said():
    """
    One sentence says what they can't tell, and one that the reranker is no real one.
    """
    for text in (told(), told(LIVE)):
        assert LIMIT in text
        assert "equals `dense`" in text
