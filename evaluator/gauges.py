"""The gauges of a route, read off its last report when Prometheus asks.

What a report hasn't got has no series, so that a number that can't be given is absent, and none
outlives what it was about. NaN is never exported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from evaluator.snapshot import Snapshot
from evaluator.stats import Estimate

KIND: Final = "descriptive"
"""Click measures are made to notice, not to decide: see docs/metrics.md."""

_OWN: Final = ("route", "pipeline", "role", "measure", "kind")
GAUGES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "shadowrank_relevance": ("Mean of a measure over a pipeline's impressions.", _OWN),
    "shadowrank_relevance_low": ("Lower end of its 95 % interval.", _OWN),
    "shadowrank_relevance_high": ("Upper end of its 95 % interval.", _OWN),
    "shadowrank_relevance_samples": ("Impressions it is the mean of.", _OWN),
    "shadowrank_served_relevance": (
        "Mean of a measure over what users were served.", ("route", "measure"),
    ),
    "shadowrank_served_relevance_low": ("Lower end of its 95 % interval.", ("route", "measure")),
    "shadowrank_served_relevance_high": ("Upper end of its 95 % interval.", ("route", "measure")),
    "shadowrank_served_relevance_samples": (
        "Impressions it is the mean of.", ("route", "measure"),
    ),
    "shadowrank_share": (
        "How much of a pipeline's lists is judged or shared with live.",
        ("route", "pipeline", "role", "what"),
    ),
    "shadowrank_served_share": ("Shares of the pages served.", ("route", "what")),
    "shadowrank_pipeline_latency_seconds": (
        "Latency as it would have been live.", ("route", "pipeline", "role", "quantile"),
    ),
    "shadowrank_pipeline_info": (
        "1 for the newest version seen of each pipeline.", ("route", "pipeline", "role", "version"),
    ),
    "shadowrank_log_memory_bytes": ("Memory of the route's event log in Redis.", ("route",)),
    "shadowrank_evaluator_last_record_timestamp_seconds": (
        "When the newest record that was read was written.", ("route",),
    ),
}  # fmt: skip
"""Every gauge: what it is, and its labels."""
TRIMMED: Final = "shadowrank_log_trimmed_unread_total"


class RouteReport(NamedTuple):
    """What is exported of a route; `memory` (bytes) and `trimmed` (records) are over its shards.

    `last_record` is in seconds since 1970, None before the first.
    """

    snapshot: Snapshot
    memory: int
    trimmed: int
    last_record: float | None


Sample: TypeAlias = tuple[str, list[str], float]
"""A gauge, the values of its labels, its value."""


class Reports(Collector):
    """Collects the reports that were published last."""

    def __init__(self) -> None:
        self._reports: Mapping[str, RouteReport] = {}

    def publish(self, reports: Mapping[str, RouteReport]) -> None:
        """Export these routes from now on, and no others."""
        self._reports = dict(reports)

    def describe(self) -> Iterator[Metric]:
        """Names without numbers."""
        yield from _families({})

    def collect(self) -> Iterator[Metric]:
        """The gauges of every route."""
        yield from _families(self._reports)


def _families(reports: Mapping[str, RouteReport]) -> Iterator[Metric]:
    gauges = {
        name: GaugeMetricFamily(name, what, labels=labels)
        for name, (what, labels) in GAUGES.items()
    }
    trimmed = CounterMetricFamily(
        TRIMMED, "Records trimmed before they were read.", labels=["route"]
    )
    for route, report in reports.items():
        trimmed.add_metric([route], report.trimmed)
        for name, labels, value in samples(route, report):
            gauges[name].add_metric(labels, value)
    yield from gauges.values()
    yield trimmed


def samples(route: str, report: RouteReport) -> Iterator[Sample]:
    """Every sample of a route's report."""
    for (role, pipeline), numbers in report.snapshot.pipelines:
        whose = [route, pipeline, role]
        for measure, made in numbers.measures:
            yield from _estimate("shadowrank_relevance", [*whose, measure, KIND], made)
        for what, share in numbers.shares:
            yield "shadowrank_share", [*whose, what], share
        for quantile, seconds in numbers.latencies:
            yield "shadowrank_pipeline_latency_seconds", [*whose, f"{quantile:g}"], seconds
        yield "shadowrank_pipeline_info", [*whose, numbers.version], 1.0
    for measure, made in report.snapshot.served.measures:
        yield from _estimate("shadowrank_served_relevance", [route, measure], made)
    for what, share in report.snapshot.served.shares:
        yield "shadowrank_served_share", [route, what], share
    yield "shadowrank_log_memory_bytes", [route], float(report.memory)
    if report.last_record is not None:
        last = "shadowrank_evaluator_last_record_timestamp_seconds"
        yield last, [route], report.last_record


def _estimate(name: str, labels: list[str], made: Estimate) -> Iterator[Sample]:
    yield name, labels, made.mean
    yield f"{name}_samples", labels, float(made.n)
    if made.low is not None and made.high is not None:
        yield f"{name}_low", labels, made.low
        yield f"{name}_high", labels, made.high
