"""What a whole run says, on the terminal and in its JSON."""

from __future__ import annotations

import re

import pytest

from demo.narrative import LIMIT
from demo.performance import ACCIDENT
from tests.demo.finished import SECONDS, Finished

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

PIPELINES = {"bm25", "dense", "rrf60", "rrf20", "minmax50", "reranked", "misaligned"}


def test_the_json_has_its_shape(finished: Finished):
    """
    Every pipeline with its role and numbers; phases, totals and times.
    """
    found = finished.report

    assert {"pipelines", "served", "totals", "checks", "seconds"} == found.keys()
    assert PIPELINES == found["pipelines"].keys()
    for name, pipeline in found["pipelines"].items():
        assert {"role", "true_ndcg@10", "ndcg@10", "judged@10", "p95_ms"} == pipeline.keys()
        assert ("live" if name == "rrf60" else "shadow") == pipeline["role"]
    assert {"before", "during", "after"} == found["served"].keys()
    assert {"requests", "errors", "impressions", "events", "shadows"} == found["totals"].keys()
    assert found["seconds"]["run"] == pytest.approx(SECONDS, abs=5)


def test_every_number_was_measured(finished: Finished):
    """
    Nothing is null in a run that went well, and every interval holds its mean.
    """
    for pipeline in finished.report["pipelines"].values():
        clicks = pipeline["ndcg@10"]
        assert clicks["low"] <= clicks["mean"] <= clicks["high"]
        assert clicks["n"] > 100
        assert pipeline["p95_ms"] > 0


def test_the_truth_is_told_from_the_judgments(finished: Finished):
    """
    What fuses is better than its parts, and the reindex that went wrong is far worse.
    """
    true = {name: row["true_ndcg@10"] for name, row in finished.report["pipelines"].items()}

    assert 0.66 <= true["bm25"] <= 0.69
    assert true["dense"] == pytest.approx(0.645, abs=0.005)
    assert true["rrf60"] >= 0.705
    assert true["minmax50"] >= 0.71
    assert true["misaligned"] < 0.05
    assert true["reranked"] == pytest.approx(true["dense"], abs=0.01)


def test_every_check_holds(finished: Finished):
    """
    Including that the page that is served is the one that explain tells.
    """
    assert [] == [name for name, holds in finished.report["checks"].items() if not holds]


def test_the_terminal_shows_tables_sentences_and_addresses(finished: Finished):
    """
    The table comes every few seconds; the end says what it shows and what it can't.
    """
    assert finished.text.count("true nDCG@10") >= 4
    assert ACCIDENT in finished.text
    assert LIMIT in finished.text
    assert "/v1/scifact/search?q=" in finished.text
    assert "Traceback" not in finished.text


def test_a_demo_that_is_kept_reloads_what_is_edited(finished: Finished):
    """
    The tour's change of a share is in force after the signal it tells to send.
    """
    assert "Still serving" in finished.text
    assert finished.reloaded


def test_a_demo_that_is_kept_goes_on_with_its_clock(finished: Finished):
    """
    No table says that less time has passed than the one before it.
    """
    clock = [int(seconds) for seconds in re.findall(r"^(\d+) s, ", finished.text, re.MULTILINE)]

    assert clock == sorted(set(clock))
    assert max(clock) > SECONDS


def test_a_demo_that_is_kept_ends_well(finished: Finished):
    """
    Ctrl-C is its only end: exit code 0, and no service survives.
    """
    assert 0 == finished.exit_code
    assert [] == finished.survivors
