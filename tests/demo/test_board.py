"""The evaluator's numbers as rows."""

from __future__ import annotations

from demo.board import Board, Estimate, Row, board
from demo.scrape import Scrape, read

ROLES = (("rrf60", "live"), ("bm25", "shadow"))
TEXT = """\
# TYPE shadowrank_relevance gauge
shadowrank_relevance{route="r",pipeline="rrf60",role="live",measure="nDCG@10",kind="descriptive"} 0.5
shadowrank_relevance{route="r",pipeline="rrf60",role="live",measure="RR",kind="descriptive"} 0.7
shadowrank_relevance{route="r",pipeline="rrf60",role="shadow",measure="nDCG@10",kind="descriptive"} 0.1
# TYPE shadowrank_relevance_low gauge
shadowrank_relevance_low{route="r",pipeline="rrf60",role="live",measure="nDCG@10",kind="descriptive"} 0.4
# TYPE shadowrank_relevance_high gauge
shadowrank_relevance_high{route="r",pipeline="rrf60",role="live",measure="nDCG@10",kind="descriptive"} 0.6
# TYPE shadowrank_relevance_samples gauge
shadowrank_relevance_samples{route="r",pipeline="rrf60",role="live",measure="nDCG@10",kind="descriptive"} 120
# TYPE shadowrank_share gauge
shadowrank_share{route="r",pipeline="rrf60",role="live",what="judged@10"} 1
shadowrank_share{route="r",pipeline="rrf60",role="live",what="overlap@10"} 0.25
# TYPE shadowrank_pipeline_latency_seconds gauge
shadowrank_pipeline_latency_seconds{route="r",pipeline="rrf60",role="live",quantile="0.95"} 0.0125
# TYPE shadowrank_served_relevance gauge
shadowrank_served_relevance{route="r",measure="nDCG@10"} 0.3
# TYPE shadowrank_served_relevance_samples gauge
shadowrank_served_relevance_samples{route="r",measure="nDCG@10"} 40
# TYPE shadowrank_served_share gauge
shadowrank_served_share{route="r",what="clicked"} 0.45
"""  # noqa: E501 - as Prometheus writes it


def test_a_role_that_has_numbers_has_a_row():
    """
    Also one that nobody asked for, such as after a change of the configuration.
    """
    shown = board(read(TEXT), "r", (), {"rrf60": 0.71})

    assert [("rrf60", "live"), ("rrf60", "shadow")] == [
        (row.pipeline, row.role) for row in shown.rows
    ]


def test_a_row_takes_its_own_role_measure_and_route():
    """
    What a pipeline earned in another role, by another measure or share, is not its row's.
    """
    shown = board(read(TEXT), "r", ROLES, {"rrf60": 0.71, "bm25": 0.67})

    assert Row("rrf60", "live", Estimate(0.5, 0.4, 0.6, 120), 1.0, 0.71, 12.5) == shown.rows[0]


def test_what_is_not_exported_is_unknown():
    """
    A pipeline without numbers has a row all the same.
    """
    shown = board(read(TEXT), "r", ROLES, {})

    assert Row("bm25", "shadow") in shown.rows
    assert Board((Row("bm25", "shadow"), Row("rrf60", "live"))) == board(Scrape(), "r", ROLES, {})


def test_the_served_line_is_whichever_pipeline_it_was():
    """
    Served numbers carry no pipeline and no interval while there are too few.
    """
    shown = board(read(TEXT), "r", ROLES, {})

    assert Estimate(0.3, None, None, 40) == shown.served
    assert 0.45 == shown.clicked


def test_the_best_truth_comes_first():
    """
    Rows stand in the order that clicks are held against.
    """
    shown = board(Scrape(), "r", ROLES, {"rrf60": 0.6, "bm25": 0.7})

    assert ["bm25", "rrf60"] == [row.pipeline for row in shown.rows]
    assert shown.rows[1] == shown.live()
