"""docs/metrics.md names every metric of both services, with its labels and their closed sets."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

import pytest
from prometheus_client import CollectorRegistry

import evaluator.metrics
import proxy.metrics
from evaluator import counts, gauges, snapshot, sums
from proxy.answer import DEGRADED_REASONS
from proxy.model import EventType, Role

PAGE = (Path(__file__).parents[1] / "docs" / "metrics.md").read_text()
ROW = re.compile(r"^\| `(?P<name>\w+)(\{(?P<labels>[\w,]*)\})?` \| (?P<services>P|E|P, E) \|", re.M)
SET = re.compile(r"^\| `(?P<name>\w+)` \| `(?P<label>\w+)`[^|]*\| (?P<values>[^|]+) \|", re.M)

Labels = Mapping[str, tuple[str, ...]]


def documented(service: str) -> Labels:
    """The labels of each metric that the page gives a service."""
    return {
        row["name"]: tuple(filter(None, (row["labels"] or "").split(",")))
        for row in ROW.finditer(PAGE)
        if service in row["services"]
    }


def registered(registry: CollectorRegistry) -> Labels:
    """The labels of each metric in a registry; counters end as their samples do."""
    found: dict[str, tuple[str, ...]] = {}
    for collector in registry._collector_to_names:
        labels = tuple(getattr(collector, "_labelnames", ()))
        for family in getattr(collector, "describe", collector.collect)():
            ending = "_total" if family.type == "counter" else ""
            found[family.name + ending] = labels
    return found


def test_every_metric_of_the_evaluator_is_documented() -> None:
    """
    None is missing or extra, and each has its labels.
    """
    registry = CollectorRegistry()
    evaluator.metrics.Metrics(registry)
    labels = {name: about[1] for name, about in gauges.GAUGES.items()}

    assert documented("E") == registered(registry) | labels | {gauges.TRIMMED: ("route",)}


def test_every_metric_of_the_proxy_is_documented() -> None:
    """
    None is missing or extra, and each has its labels.
    """
    registry = CollectorRegistry()
    proxy.metrics.Metrics(registry)

    assert documented("P") == registered(registry)


EXPECTED: Mapping[tuple[str, str], Sequence[str]] = {
    ("shadowrank_relevance", "role"): get_args(Role),
    ("shadowrank_relevance", "kind"): (gauges.KIND,),
    ("shadowrank_share", "what"): [label for label, _, _ in snapshot.SHARES],
    ("shadowrank_served_share", "what"): sums.SERVED_SHARES,
    ("shadowrank_pipeline_latency_seconds", "quantile"): [f"{q:g}" for q in snapshot.QUANTILES],
    ("shadowrank_evaluator_events_total", "type"): get_args(EventType),
    ("shadowrank_evaluator_events_total", "outcome"): counts.EVENT_OUTCOMES,
    ("shadowrank_evaluator_records_total", "outcome"): counts.RECORD_OUTCOMES,
    ("shadowrank_evaluator_shadows_total", "outcome"): counts.SHADOW_OUTCOMES,
    ("shadowrank_config_reload_total", "outcome"): evaluator.metrics.RELOAD_OUTCOMES,
    ("shadowrank_connections", "port"): get_args(proxy.metrics.Port),
    ("shadowrank_connections_cut_total", "port"): get_args(proxy.metrics.Port),
    ("shadowrank_connections_cut_total", "reason"): get_args(proxy.metrics.Cut),
    ("shadowrank_request_seconds", "outcome"): proxy.metrics.REQUEST_OUTCOMES,
    ("shadowrank_stage_seconds", "stage"): proxy.metrics.OWN_STAGES,
    ("shadowrank_in_flight", "role"): get_args(Role),
    ("shadowrank_degraded_total", "reason"): DEGRADED_REASONS,
    ("shadowrank_shadow_total", "outcome"): proxy.metrics.SHADOW_OUTCOMES,
    ("shadowrank_model_calls_total", "outcome"): proxy.metrics.CALL_OUTCOMES,
    ("shadowrank_events_total", "type"): proxy.metrics.EVENT_TYPES,
    ("shadowrank_events_total", "outcome"): proxy.metrics.EVENT_OUTCOMES,
    ("shadowrank_log_records_total", "kind"): proxy.metrics.LOG_KINDS,
    ("shadowrank_log_records_total", "outcome"): proxy.metrics.LOG_OUTCOMES,
}


@pytest.mark.parametrize("where", EXPECTED, ids=".".join)
def test_closed_label_sets_are_documented(where: tuple[str, str]) -> None:
    """
    Value by value.
    """
    found = {
        (row["name"], row["label"]): re.findall(r"`([^`]+)`", row["values"])
        for row in SET.finditer(PAGE)
    }

    assert list(EXPECTED[where]) == found[where]


def test_the_services_agree_on_what_they_share() -> None:
    """
    Both count reloads, under one name and one set of outcomes.
    """

    assert proxy.metrics.RELOAD_OUTCOMES == evaluator.metrics.RELOAD_OUTCOMES
