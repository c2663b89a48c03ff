"""The table as it stands on a terminal."""

from __future__ import annotations

from demo.board import Board, Estimate, Row
from demo.table import served, table

SHOWN = Board(
    (
        Row("rrf60", "live", Estimate(0.5, 0.4, 0.6, 1200), 1.0, 0.71234, 12.345),
        Row("bm25", "shadow", Estimate(n=3), None, None, None),
    ),
    Estimate(0.25, None, None, 40),
    0.456,
)


def test_a_table_is_a_title_a_line_a_pipeline_and_what_was_served():
    """
    Columns line up; what is unknown is a dash.
    """
    assert [
        "5 s",
        "pipeline    role    true nDCG@10  nDCG@10 from clicks    judged@10  p95 ms       n",
        "rrf60       live           0.712  0.500 [0.400, 0.600]       1.000    12.3    1200",
        "bm25        shadow             -  -                              -       -       3",
        "served in the last window: nDCG@10 0.250, clicked 46%, n 40",
    ] == table(SHOWN, "5 s").splitlines()


def test_nothing_served_is_said_so():
    """
    Before the first round there are no numbers, and none are made up.
    """
    assert "served in the last window: nDCG@10 -, clicked -, n 0" == served(Board())
