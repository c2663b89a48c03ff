from __future__ import annotations

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from proxy.metrics import LOG_KINDS, LOG_OUTCOMES, Metrics


@pytest.fixture
def metrics() -> Metrics:
    return Metrics(CollectorRegistry())


def test_a_child_is_made_once(metrics: Metrics):
    """
    The hot path looks its counters up and makes none.
    """
    assert metrics.stage("faq", "fusion") is metrics.stage("faq", "fusion")
    assert metrics.stage("faq", "fusion") is not metrics.stage("faq", "rerank")


def test_closed_sets_are_there_from_the_start(metrics: Metrics):
    """
    A rate sees the first loss only where the series began at zero.
    """
    for kind in LOG_KINDS:
        for outcome in LOG_OUTCOMES:
            labels = {"kind": kind, "outcome": outcome}
            assert 0 == metrics.registry.get_sample_value("shadowrank_log_records_total", labels)
    failed = {"outcome": "failed"}
    assert 0 == metrics.registry.get_sample_value("shadowrank_config_reload_total", failed)


def test_pipelines_that_are_gone_are_gone(metrics: Metrics):
    """
    A replaced version is no series any more.
    """
    metrics.pipelines([("faq", "rrf60", "live", "v1")])
    metrics.pipelines([("faq", "rrf60", "live", "v2")])

    text = generate_latest(metrics.registry).decode()

    assert 'version="v2"' in text
    assert 'version="v1"' not in text


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("shadowrank_request_seconds_count", {"route": "faq", "outcome": "ok"}),
        ("shadowrank_stage_seconds_count", {"route": "faq", "stage": "fetch"}),
        ("shadowrank_degraded_total", {"route": "faq", "stage": "fetch", "reason": "error"}),
        ("shadowrank_shadow_total", {"route": "faq", "pipeline": "p", "outcome": "ok"}),
        ("shadowrank_events_total", {"route": "faq", "type": "click", "outcome": "accepted"}),
        ("shadowrank_in_flight", {"role": "live"}),
    ],
)
def test_names_and_labels(metrics: Metrics, name: str, labels: dict[str, str]):
    """
    Every metric is found under its public name.
    """
    metrics.request("faq", "ok").observe(0.1)
    metrics.stage("faq", "fetch").observe(0.1)
    metrics.degraded("faq", "fetch", "error").inc()
    metrics.shadow("faq", "p", "ok").inc()
    metrics.event("faq", "click", "accepted").inc()
    metrics.in_flight("live").inc()

    assert 1 == metrics.registry.get_sample_value(name, labels)
