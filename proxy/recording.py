"""What happened, as records of the event log. Times in ms since the epoch, durations in ms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from proxy.answer import Answer, Degraded, Observation
from proxy.errors import BackendTimeout, SearchError
from proxy.events.records import Event, Impression, ShadowResult, ShadowStatus
from proxy.model import Query
from proxy.plan import Pipeline
from proxy.tokens import Token
from proxy.wire.events import Told


def impression(
    query: Query,
    pipeline: Pipeline,
    answer: Answer,
    *,
    time: int,
    query_key: bytes,
    index_version: str,
    sampled: Sequence[Pipeline],
    text: str | None,
) -> Impression:
    """The record of one served page; `text` only where the configuration stores it."""
    return Impression(
        id=query.nonce,
        time=time,
        query_key=query_key,
        route=query.route,
        pipeline=pipeline.name,
        version=pipeline.version,
        index_version=index_version,
        size=query.size,
        list=answer.ranked.ids[: query.depth],
        took=1000 * answer.seconds,
        offset=query.offset,
        total=answer.total,
        user=query.user,
        session=query.session,
        sampled=tuple(shadow.name for shadow in sampled),
        degraded=_degraded(answer.degraded),
        stages=_stages(answer.stages),
        text=text,
    )


def observed(observation: Observation, depth: int) -> ShadowResult:
    """What a shadow that ran made of the query."""
    answer = observation.answer
    if answer is None:
        return ShadowResult(
            observation.pipeline,
            observation.version,
            _status(observation.error),
            took=1000 * observation.seconds,
            reason=_reason(observation.error),
        )
    return ShadowResult(
        observation.pipeline,
        observation.version,
        "ok",
        answer.ranked.ids[:depth],
        1000 * answer.seconds,
        None,
        _degraded(answer.degraded),
        _stages(answer.stages),
        answer.own_legs,
    )


def unseen(
    pipelines: Iterable[Pipeline], status: ShadowStatus, reason: str
) -> tuple[ShadowResult, ...]:
    """Shadows that made nothing of the query, all for the same reason."""
    return tuple(
        ShadowResult(shadow.name, shadow.version, status, reason=reason) for shadow in pipelines
    )


def event(told: Told, token: Token, received: int) -> Event:
    """The record of an event, as received."""
    return Event(
        token.nonce, told.event_id, told.type, received,
        told.doc_id, told.position, told.dwell_ms, told.at,
    )  # fmt: skip


def _status(error: Exception | None) -> ShadowStatus:
    return "timeout" if isinstance(error, BackendTimeout) else "error"


def _reason(error: Exception | None) -> str:
    """The error's code; a bug has none and is called one."""
    return error.code if isinstance(error, SearchError) else "bug"


def _degraded(stages: Iterable[Degraded]) -> tuple[tuple[str, str], ...]:
    return tuple([(degraded.stage, degraded.reason) for degraded in stages])


def _stages(stages: Iterable[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
    return tuple([(stage, 1000 * seconds) for stage, seconds in stages])
