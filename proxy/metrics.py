"""Every metric of the proxy. Label values come from the configuration or a closed set here.

Where a request names no route of the configuration, `route` is empty, which Prometheus reads as
absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, Literal, Protocol, TypeAlias, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from proxy.calls import Call, CallOutcome
from proxy.model import EventType, Role
from proxy.plan import Plan

Port: TypeAlias = Literal["public", "private"]
Cut: TypeAlias = Literal["late", "crowded", "full", "unread", "malformed"]
"""Why a connection was ended: no whole head in time; it waited, and its place was needed; nobody
waited, so the newcomer was refused; it didn't read its answer; what it sent was no HTTP.
"""
REQUEST_OUTCOMES: Final = (
    "ok", "bad_request", "not_found", "too_large", "overloaded", "no_leg", "backend", "error",
    "cancelled",
)  # fmt: skip
"""How a search ended; `cancelled`: the client left first, so nothing was answered or logged."""
SHADOW_OUTCOMES: Final = (
    "sampled", "ok", "timeout", "error",
    "dropped_full", "dropped_killed", "dropped_shutdown", "dropped_bug",
)  # fmt: skip
"""`sampled` counts at the answer, the others once it is known: together they equal `sampled`."""
EVENT_TYPES: Final = (*get_args(EventType), "invalid")
"""An event's type; `invalid` where it has none that exists."""
REFUSALS: Final = ("invalid", "shape", "key", "mac", "route", "expired", "clock")
"""Why an event is refused when it arrives; the metric's outcome is `refused_` and the reason."""
EVENT_OUTCOMES: Final = ("accepted", *(f"refused_{reason}" for reason in REFUSALS), "dropped")
"""`dropped`: it was in order, and the log's buffer was full."""
LOG_KINDS: Final = ("impression", "shadows", "event")
LOG_OUTCOMES: Final = ("offered", "stored", "dropped_full", "dropped_redis", "dropped_shutdown")
"""Records: offered = stored + dropped + what is still in the buffer."""
RELOAD_OUTCOMES: Final = ("ok", "failed")
CALL_OUTCOMES: Final = get_args(CallOutcome)
BILLED: Final = ("ok", "timeout", "cancelled")
"""Calls that cost something: what isn't answered in time was worked on all the same."""
OWN_STAGES: Final = ("fusion", "rerank", "count", "fetch")
"""Stages beside `embed:<embedder>` and `leg:<leg>`."""
SECONDS: Final = (
    0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075,
    0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0, 2.0, 5.0,
)  # fmt: skip
"""Bucket bounds: a search takes milliseconds, and its deadline is a second or so."""


class Metrics:
    """The proxy's metrics in one registry. Children are cached: `labels` itself is slow."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.registry = registry
        self._requests = cache(Histogram(
            "shadowrank_request_seconds", "Searches, from the request read to the answer written.",
            ("route", "outcome"), buckets=SECONDS, registry=registry,
        ).labels)  # fmt: skip
        self._stages = cache(Histogram(
            "shadowrank_stage_seconds", "Stages of live pipelines.",
            ("route", "stage"), buckets=SECONDS, registry=registry,
        ).labels)  # fmt: skip
        self._in_flight = cache(Gauge(
            "shadowrank_in_flight", "Searches (live) and shadow jobs running now.",
            ("role",), registry=registry,
        ).labels)  # fmt: skip
        self._degraded = cache(Counter(
            "shadowrank_degraded", "Stages that failed or overran while the rest was answered.",
            ("route", "stage", "reason"), registry=registry,
        ).labels)  # fmt: skip
        self._shadows = cache(Counter(
            "shadowrank_shadow", "Shadows: sampled at the answer, and what became of them.",
            ("route", "pipeline", "outcome"), registry=registry,
        ).labels)  # fmt: skip
        self._calls = cache(Counter(
            "shadowrank_model_calls", "Calls of models, for each pipeline that needed them.",
            ("route", "pipeline", "model", "outcome"), registry=registry,
        ).labels)  # fmt: skip
        self._judged = cache(Counter(
            "shadowrank_model_documents", "Documents and query texts that those calls sent.",
            ("route", "pipeline", "model"), registry=registry,
        ).labels)  # fmt: skip
        self._costs = cache(Counter(
            "shadowrank_model_cost", "What those calls cost by the configuration's prices.",
            ("route", "pipeline", "model"), registry=registry,
        ).labels)  # fmt: skip
        self._events = cache(Counter(
            "shadowrank_events", "Events received, by what became of them on arrival.",
            ("route", "type", "outcome"), registry=registry,
        ).labels)  # fmt: skip
        self._log = cache(Counter(
            "shadowrank_log_records", "Records of the event log.",
            ("kind", "outcome"), registry=registry,
        ).labels)  # fmt: skip
        self._reloads = cache(Counter(
            "shadowrank_config_reload", "Reloads of the configuration.",
            ("outcome",), registry=registry,
        ).labels)  # fmt: skip
        self._connections = cache(Gauge(
            "shadowrank_connections", "Connections of clients.", ("port",), registry=registry,
        ).labels)  # fmt: skip
        self._cuts = cache(Counter(
            "shadowrank_connections_cut", "Connections of clients that were ended by us.",
            ("port", "reason"), registry=registry,
        ).labels)  # fmt: skip
        self._pipelines = Gauge(
            "shadowrank_pipeline_info", "1 for every pipeline a route uses; carries its version.",
            ("route", "pipeline", "role", "version"), registry=registry,
        )  # fmt: skip
        self._start_at_zero()

    def in_flight(self, role: Role) -> Gauge:
        """How many run now."""
        return self._in_flight(role)

    def request(self, route: str, outcome: str) -> Histogram:
        """How long a search took; `outcome` of `REQUEST_OUTCOMES`."""
        return self._requests(route, outcome)

    def stage(self, route: str, stage: str) -> Histogram:
        """How long a stage of a live pipeline took."""
        return self._stages(route, stage)

    def degraded(self, route: str, stage: str, reason: str) -> Counter:
        """Live stages left out of an answer; `reason` of `model.DEGRADED_REASONS`."""
        return self._degraded(route, stage, reason)

    def shadow(self, route: str, pipeline: str, outcome: str) -> Counter:
        """Shadows; `outcome` of `SHADOW_OUTCOMES`."""
        return self._shadows(route, pipeline, outcome)

    def called(self, route: str, pipeline: str, calls: Sequence[Call], plan: Plan) -> None:
        """Charge a pipeline for the calls that it needed. A model without a name isn't watched."""
        for call in calls:
            part, units = _asked(call, plan)
            if part.model is None:
                continue
            labels = (route, pipeline, part.model)
            self._calls(*labels, call.outcome).inc()
            self._judged(*labels).inc(call.documents)
            if part.price_per_1000 is not None and call.outcome in BILLED:
                self._costs(*labels).inc(part.price_per_1000 * units / 1000)

    def event(self, route: str, kind: str, outcome: str) -> Counter:
        """Events; `kind` of `EVENT_TYPES`, `outcome` of `EVENT_OUTCOMES`."""
        return self._events(route, kind, outcome)

    def log(self, kind: str, outcome: str) -> Counter:
        """Records; `kind` of `LOG_KINDS`, `outcome` of `LOG_OUTCOMES`."""
        return self._log(kind, outcome)

    def reload(self, outcome: str) -> Counter:
        """Reloads; `outcome` of `RELOAD_OUTCOMES`."""
        return self._reloads(outcome)

    def connections(self, port: Port) -> Gauge:
        """How many clients are connected."""
        return self._connections(port)

    def cut(self, port: Port, reason: Cut) -> Counter:
        """Connections that were ended before their client did."""
        return self._cuts(port, reason)

    def pipelines(self, used: Iterable[tuple[str, str, Role, str]]) -> None:
        """Say which pipelines are used now: (route, pipeline, role, version)."""
        self._pipelines.clear()
        for labels in used:
            self._pipelines.labels(*labels).set(1)

    def _start_at_zero(self) -> None:
        """Series of closed sets alone exist from the start, so that a rate sees their first."""
        for kind in LOG_KINDS:
            for outcome in LOG_OUTCOMES:
                self._log(kind, outcome)
        for outcome in RELOAD_OUTCOMES:
            self._reloads(outcome)
        for port in get_args(Port):
            for reason in get_args(Cut):
                self._cuts(port, reason)


class Priced(Protocol):
    """A part whose model may be watched and may have a price."""

    @property
    def model(self) -> str | None:
        """The metric's label; None where the model isn't watched."""
        ...

    @property
    def price_per_1000(self) -> float | None:
        """What 1,000 units cost."""
        ...


def _asked(call: Call, plan: Plan) -> tuple[Priced, int]:
    """The part that called its model, and the units that the call is billed for."""
    if call.kind == "embedder":
        return plan.embedders[call.part], call.documents
    reranker = plan.rerankers[call.part]
    return reranker, reranker.units(call.documents)
