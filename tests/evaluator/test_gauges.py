"""The gauges of a route."""

from __future__ import annotations

from prometheus_client import CollectorRegistry

from evaluator.gauges import GAUGES, Reports, RouteReport, samples
from evaluator.snapshot import Member, Numbers, Served, Snapshot
from evaluator.stats import Estimate

WHOLE = Estimate(0.5, 200, 0.4, 0.6)
BARE = Estimate(0.5, 20)


def report(live: Estimate, last_record: float | None = 1.7e9) -> RouteReport:
    """A report with one pipeline."""
    numbers = Numbers("v1", live.n, (("nDCG@10", live),), (("judged@10", 0.9),), ((0.95, 0.02),))
    served = Served(live.n, (("nDCG@10", live),), (("clicked", 0.4),))
    snapshot = Snapshot(((Member("live", "rrf60"), numbers),), served)
    return RouteReport(snapshot, memory=1300, trimmed=2, last_record=last_record)


def exported(*published: dict[str, RouteReport]) -> CollectorRegistry:
    """A registry that was given these reports one after the other."""
    registry, reports = CollectorRegistry(), Reports()
    registry.register(reports)
    for each in published:
        reports.publish(each)
    return registry


def test_an_estimate_is_four_series() -> None:
    """
    The mean, its n and the ends of its interval, under the same labels.
    """
    registry = exported({"faq": report(WHOLE)})
    labels = {
        "route": "faq", "pipeline": "rrf60", "role": "live", "measure": "nDCG@10",
        "kind": "descriptive",
    }  # fmt: skip

    assert [0.5, 0.4, 0.6, 200] == [
        registry.get_sample_value(f"shadowrank_relevance{suffix}", labels)
        for suffix in ("", "_low", "_high", "_samples")
    ]


def test_an_interval_that_cannot_be_computed_is_absent() -> None:
    """
    Also when it was there before.
    """
    registry = exported({"faq": report(WHOLE)}, {"faq": report(BARE)})
    labels = {"route": "faq", "measure": "nDCG@10"}

    assert 0.5 == registry.get_sample_value("shadowrank_served_relevance", labels)
    assert registry.get_sample_value("shadowrank_served_relevance_low", labels) is None


def test_a_route_that_is_gone_leaves_nothing() -> None:
    """
    As after a reload.
    """
    registry = exported({"faq": report(WHOLE)}, {})

    assert [] == [sample for family in registry.collect() for sample in family.samples]


def test_everything_else_of_a_route() -> None:
    """
    Shares, latencies, versions, the log.
    """
    found = {(name, tuple(labels)): value for name, labels, value in samples("faq", report(BARE))}

    assert 0.9 == found["shadowrank_share", ("faq", "rrf60", "live", "judged@10")]
    assert 0.4 == found["shadowrank_served_share", ("faq", "clicked")]
    assert 0.02 == found["shadowrank_pipeline_latency_seconds", ("faq", "rrf60", "live", "0.95")]
    assert 1.0 == found["shadowrank_pipeline_info", ("faq", "rrf60", "live", "v1")]
    assert 1300 == found["shadowrank_log_memory_bytes", ("faq",)]
    assert 1.7e9 == found["shadowrank_evaluator_last_record_timestamp_seconds", ("faq",)]


def test_trimmed_records_are_a_counter() -> None:
    """
    Its name ends as counters' do.
    """
    registry = exported({"faq": report(BARE)})

    assert 2 == registry.get_sample_value("shadowrank_log_trimmed_unread_total", {"route": "faq"})


def test_before_the_first_record_there_is_no_time_of_the_last() -> None:
    """
    0 would be 1970.
    """
    names = {name for name, _, _ in samples("faq", report(BARE, last_record=None))}

    assert "shadowrank_evaluator_last_record_timestamp_seconds" not in names
    assert names < set(GAUGES)
