"""What happens in a whole run."""

from __future__ import annotations

import pytest

from tests.demo.finished import Finished

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


def test_the_served_line_falls_and_recovers(finished: Finished):
    """
    While live is broken, what is served reads less than half of before and of after.
    """
    served = finished.report["served"]

    assert served["during"] < served["before"] / 2
    assert served["during"] < served["after"] / 2


def test_nothing_is_lost_without_a_count(finished: Finished):
    """
    Totals reconcile, and no search failed.
    """
    totals = finished.report["totals"]
    impressions, events, shadows = (totals[name] for name in ("impressions", "events", "shadows"))

    assert 0 == totals["errors"]
    assert totals["requests"] == impressions["offered"] > 300
    assert impressions["offered"] == impressions["stored"] + sum(impressions["dropped"].values())
    assert events["sent"] == events["accepted"] + sum(events["refused"].values()) > 300
    assert shadows["sampled"] == shadows["ran"] + sum(shadows["dropped"].values()) > 2000


def test_live_and_shadows_are_judged_on_the_same_pages(finished: Finished):
    """
    Nothing is compared during the accident, so every pipeline has the same n.
    """
    rows = finished.report["pipelines"].values()
    lost = finished.report["totals"]["shadows"]["dropped"]

    counts = {row["ndcg@10"]["n"] for row in rows}
    assert 1 == len(counts) or lost
    assert max(counts) < finished.report["totals"]["requests"]


def test_live_is_the_most_judged(finished: Finished):
    """
    All of its top ten was shown; of the broken one, next to nothing.
    """
    judged = {name: row["judged@10"] for name, row in finished.report["pipelines"].items()}

    assert 1.0 == judged["rrf60"] == max(judged.values())
    assert judged["misaligned"] < 0.05
