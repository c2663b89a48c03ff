"""The sentences at the end are about the numbers of this run."""

from __future__ import annotations

from demo.board import Board, Estimate, Row
from demo.narrative import LIMIT, narrative


def row(pipeline: str, true: float | None, clicks: float | None, role: str = "shadow") -> Row:
    """Its interval is 0.02 wide to either side."""
    low, high = (None, None) if clicks is None else (clicks - 0.02, clicks + 0.02)
    return Row(pipeline, role, Estimate(clicks, low, high, 500), 0.4, true)


LIVE = row("rrf60", 0.70, 0.50, "live")
SERVED = {
    phase: Board((), Estimate(mean), clicked)
    for phase, mean, clicked in (("before", 0.5, 0.6), ("during", 0.02, 0.1), ("after", 0.48, 0.55))
}


def told(*rows: Row, served: dict[str, Board] = SERVED) -> str:
    return narrative(Board(rows), served, "misaligned")


def test_a_better_shadow_that_looks_clearly_worse_is_named():
    """
    Clicks mislead where live's mean is above a better shadow's whole interval.
    """
    text = told(row("minmax50", 0.72, 0.45), LIVE, row("bm25", 0.67, 0.40))

    assert "and clearly worse by the clicks" in text
    assert "`minmax50` (true 0.720, clicks 0.450)" in text
    assert "better than live `rrf60` (true 0.700, clicks 0.500)" in text
    assert "no difference to see" not in text
    assert "`bm25`" not in text


def test_a_better_shadow_within_the_noise_is_not_called_worse():
    """
    Lower or higher by less than its interval: it can't be told from live.
    """
    text = told(row("minmax50", 0.72, 0.49), row("rrf20", 0.71, 0.51), LIVE)

    assert "mislead" not in text
    assert "Truly better than live `rrf60` (true 0.700, clicks 0.500), yet not above" in text
    assert "`minmax50` (true 0.720, clicks 0.490), `rrf20` (true 0.710, clicks 0.510)." in text


def test_both_sorts_have_a_sentence_of_their_own():
    """
    Who is clearly lower isn't mixed with who can't be told from live.
    """
    worse, level = (
        sentence
        for sentence in told(row("low", 0.72, 0.4), row("level", 0.71, 0.49), LIVE).splitlines()
        if "better than live" in sentence
    )

    assert ("`low`" in worse, "`level`" in worse) == (True, False)
    assert ("`low`" in level, "`level`" in level) == (False, True)


def test_nothing_misleads_where_clicks_agree_with_the_truth():
    """
    Both sentences are left out in a run that doesn't show it.
    """
    assert "better than" not in told(LIVE, row("bm25", 0.67, 0.40), row("new", 0.72, 0.55))


def test_a_truth_that_looks_the_same_is_not_better():
    """
    A difference that the table doesn't show is not talked about.
    """
    assert "better than" not in told(LIVE, row("new", 0.7004, 0.4))


def test_what_is_unknown_misleads_nobody():
    """
    A number that could not be measured, or has no interval, is neither better nor worse.
    """
    bare = Row("bare", "shadow", Estimate(0.4, n=50), 0.4, 0.8)

    assert "better than" not in told(LIVE, row("new", None, 0.4), row("other", 0.8, None), bare)


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
