"""Every metric of the evaluator. Label values come from the configuration or a closed set.

The gauges are `gauges`'. The counters here count what this process has committed; they begin at 0
with it, as Prometheus expects of counters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram

from evaluator.counts import Counts
from evaluator.gauges import Reports, RouteReport
from evaluator.snapshot import Member

RELOAD_OUTCOMES: Final = ("ok", "failed")
ROUND_SECONDS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300)


class Metrics:
    """The evaluator's metrics in one registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.registry = registry
        self._reports = Reports()
        self._events = Counter(
            "shadowrank_evaluator_events", "Events by what became of them.",
            ("route", "type", "outcome"), registry=registry,
        )  # fmt: skip
        self._records = Counter(
            "shadowrank_evaluator_records", "Records of the event log by what became of them.",
            ("route", "outcome"), registry=registry,
        )  # fmt: skip
        self._shadows = Counter(
            "shadowrank_evaluator_shadows", "Sampled shadows by what the log says of them.",
            ("route", "pipeline", "outcome"), registry=registry,
        )  # fmt: skip
        self._evicted = Counter(
            "shadowrank_evaluator_qrels_evicted", "Query keys whose qrels had to make room.",
            ("route",), registry=registry,
        )  # fmt: skip
        self._overtaken = Counter(
            "shadowrank_evaluator_overtaken", "Rounds thrown away since another had written.",
            ("route",), registry=registry,
        )  # fmt: skip
        self._failed = Counter(
            "shadowrank_evaluator_failed_rounds", "Rounds that Redis did not let finish.",
            registry=registry,
        )  # fmt: skip
        self._rounds = Histogram(
            "shadowrank_evaluator_round_seconds", "How long a round took.",
            buckets=ROUND_SECONDS, registry=registry,
        )  # fmt: skip
        self._reloads = Counter(
            "shadowrank_config_reload", "Reloads of the configuration.",
            ("outcome",), registry=registry,
        )  # fmt: skip
        for outcome in RELOAD_OUTCOMES:
            self._reloads.labels(outcome)
        registry.register(self._reports)

    def publish(self, reports: Mapping[str, RouteReport]) -> None:
        """Export these routes from now on, and no others."""
        self._reports.publish(reports)

    def count(self, route: str, members: Iterable[Member], counts: Counts, evicted: int) -> None:
        """Count what a committed batch held; pipelines that the route doesn't have are left out."""
        known = {member.pipeline for member in members}
        for labels, number in counts.events.items():
            self._events.labels(route, *labels).inc(number)
        for outcome, number in counts.records.items():
            self._records.labels(route, outcome).inc(number)
        for (pipeline, outcome), number in counts.shadows.items():
            if pipeline in known and number:
                self._shadows.labels(route, pipeline, outcome).inc(number)
        self._evicted.labels(route).inc(evicted)

    def round(self, seconds: float) -> None:
        """A round is done."""
        self._rounds.observe(seconds)

    def overtaken(self, route: str) -> None:
        """A round's work on a shard was void."""
        self._overtaken.labels(route).inc()

    def failed(self) -> None:
        """Redis did not let a round finish."""
        self._failed.inc()

    def reloaded(self, outcome: str) -> None:
        """A reload; `outcome` of `RELOAD_OUTCOMES`."""
        self._reloads.labels(outcome).inc()
