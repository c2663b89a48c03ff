"""The evaluator's registry."""

from __future__ import annotations

from collections import Counter

from prometheus_client import CollectorRegistry

from evaluator.counts import Counts
from evaluator.metrics import Metrics
from evaluator.snapshot import Member

MEMBERS = (Member("live", "rrf60"), Member("shadow", "rrf20"))


def test_what_a_batch_held_is_counted() -> None:
    """
    Events, records, shadows of the route's pipelines, qrels that made room.
    """
    registry = CollectorRegistry()
    counts = Counts(
        Counter({("click", "credited"): 2}),
        Counter({"read": 5}),
        Counter({("rrf20", "ok"): 3, ("rrf20", "lost"): 0, ("removed", "ok"): 9}),
    )

    Metrics(registry).count("faq", MEMBERS, counts, evicted=4)

    expected = {
        ("shadowrank_evaluator_events_total", ("faq", "click", "credited")): 2,
        ("shadowrank_evaluator_records_total", ("faq", "read")): 5,
        ("shadowrank_evaluator_shadows_total", ("faq", "rrf20", "ok")): 3,
        ("shadowrank_evaluator_qrels_evicted_total", ("faq",)): 4,
    }
    assert expected == {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in registry.collect()
        for sample in family.samples
        if sample.labels.get("route") and not sample.name.endswith("_created")
    }


def test_rounds_and_reloads_are_counted() -> None:
    """
    Both outcomes of a reload exist from the start, so that a rate sees the first.
    """
    registry = CollectorRegistry()
    metrics = Metrics(registry)
    metrics.round(0.004)
    metrics.failed()
    metrics.overtaken("faq")
    metrics.reloaded("failed")

    def value(name: str, **labels: str) -> float | None:
        return registry.get_sample_value(name, labels)

    assert 1 == value("shadowrank_evaluator_round_seconds_count")
    assert 1 == value("shadowrank_evaluator_failed_rounds_total")
    assert 1 == value("shadowrank_evaluator_overtaken_total", route="faq")
    assert 1 == value("shadowrank_config_reload_total", outcome="failed")
    assert 0 == value("shadowrank_config_reload_total", outcome="ok")
