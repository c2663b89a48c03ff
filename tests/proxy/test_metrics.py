from __future__ import annotations

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from config.schema import Settings
from proxy.calls import Call, CallOutcome
from proxy.metrics import BILLED, CALL_OUTCOMES, LOG_KINDS, LOG_OUTCOMES, Metrics
from proxy.plan import Plan
from tests.scripted import ScriptedEmbedder, ScriptedReranker

RERANKED = {"route": "faq", "pipeline": "p", "model": "judge-1"}
PLAN = Plan(
    Settings(backends=(), legs=(), pipelines=(), routes=()),
    backends={},
    embedders={"free": ScriptedEmbedder(), "own": ScriptedEmbedder(model=None)},
    rerankers={"judge": ScriptedReranker(price_per_1000=2.0)},
    pipelines={},
    routes={},
)


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
        ("shadowrank_model_calls_total", {**RERANKED, "outcome": "ok"}),
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
    metrics.called("faq", "p", [Call("reranker", "judge", 7, "ok")], PLAN)

    assert 1 == metrics.registry.get_sample_value(name, labels)


@pytest.mark.parametrize("outcome", CALL_OUTCOMES)
def test_what_a_call_costs(metrics: Metrics, outcome: CallOutcome):
    """
    Its units at the reranker's price; nothing if the model refused or failed.
    """
    metrics.called("faq", "p", [Call("reranker", "judge", 250, outcome)], PLAN)

    get = metrics.registry.get_sample_value
    assert 1 == get("shadowrank_model_calls_total", {**RERANKED, "outcome": outcome})
    assert 250 == get("shadowrank_model_documents_total", RERANKED)
    cost = 0.006 if outcome in BILLED else None  # three units: each hundred begun is one
    assert cost == get("shadowrank_model_cost_total", RERANKED)


def test_a_model_without_a_price_has_no_cost_and_one_without_a_name_nothing(metrics: Metrics):
    """
    No series, which is not 0.
    """
    calls = [Call("embedder", "free", 1, "ok"), Call("embedder", "own", 1, "ok")]

    metrics.called("faq", "p", calls, PLAN)

    text = generate_latest(metrics.registry).decode()
    assert 'shadowrank_model_calls_total{model="embed-1",outcome="ok",pipeline="p"' in text
    assert 1 == text.count("shadowrank_model_documents_total{")
    assert "shadowrank_model_cost_total{" not in text
