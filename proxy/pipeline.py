"""Running pipelines: legs, then fusion, then rerank; one for live, or all shadows at once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import TypeAlias, TypeVar

from proxy.answer import Answer, Observation
from proxy.candidates import Candidates, unanswered
from proxy.errors import BackendError, BackendTimeout, NoLegAnswered, SearchError
from proxy.legs import Leg
from proxy.model import Query, RankedList
from proxy.plan import Pipeline
from proxy.request import COUNT, Request, alike
from proxy.retrieval import Clients, Patience, Retrieval

log = logging.getLogger(__name__)

T = TypeVar("T")
Outcome: TypeAlias = Answer | BaseException


async def run(
    pipeline: Pipeline,
    query: Query,
    retrieval: Retrieval,
    clients: Clients,
    *,
    primary: tuple[str, Leg],
    deadline: float | None,
) -> Answer:
    """Answer live with what arrives within `deadline` seconds from now (None: within the budgets).

    Raises NoLegAnswered; BadRequest if no leg can be asked for want of text or vector; and any bug.
    """
    request = Request(query, retrieval, clients, primary[1], Patience.of("live", deadline))
    beside = request.beside(pipeline)
    await request.ask([pipeline], beside)
    (answer,) = request.fuse([(pipeline, request.collect(pipeline))])
    return await request.rerank(pipeline, request.counted(answer) if beside else answer)


async def count(
    query: Query,
    retrieval: Retrieval,
    clients: Clients,
    *,
    primary: tuple[str, Leg],
    deadline: float | None,
) -> Answer:
    """Answer what is asked of the matches alone, by the primary leg's count: no pipeline runs.

    Raises as `run` does.
    """
    name, leg = primary
    request = Request(query, retrieval, clients, leg, Patience.of("live", deadline))
    await request.ask([], [leg])
    counted = retrieval.count(leg)
    if isinstance(counted.outcome, BackendError):
        raise unanswered(COUNT, {name: counted})
    return request.counted(Answer(RankedList(), None, seconds=counted.seconds))


async def run_all(
    pipelines: Sequence[Pipeline],
    query: Query,
    retrieval: Retrieval,
    clients: Clients,
    *,
    primary: tuple[str, Leg],
    deadline: float | None = None,
) -> list[Observation]:
    """Observe shadows, in their order: the legs that only they need run together, on `clients`.

    All are fused at once, and whatever happens to one is a value in its observation; raises only
    cancellation. A pipeline whose legs were all just slow has a BackendTimeout for its error.
    """
    start = perf_counter()
    request = Request(query, retrieval, clients, primary[1], Patience.of("shadow", deadline))
    groups = alike(pipelines)
    await request.ask([group[0] for group in groups])
    outcomes = _fused(request, groups)
    outcomes |= await _reranked(request, pipelines, outcomes)
    elapsed = perf_counter() - start
    return [_observation(pipeline, outcomes[pipeline.name], elapsed) for pipeline in pipelines]


def _fused(request: Request, groups: Iterable[Sequence[Pipeline]]) -> dict[str, Outcome]:
    """By name, each pipeline's answer before rerank, or what stopped it."""
    outcomes: dict[str, Outcome] = {}
    ready: list[tuple[Pipeline, Candidates]] = []
    for group in groups:
        collected = _attempt(partial(request.collect, group[0]))
        if isinstance(collected, Candidates):
            ready += [(pipeline, collected) for pipeline in group]
        else:
            outcomes |= {pipeline.name: collected for pipeline in group}
    batch = _attempt(partial(request.fuse, ready))
    fused = [batch] * len(ready) if isinstance(batch, Exception) else batch
    outcomes.update(zip((pipeline.name for pipeline, _ in ready), fused, strict=True))
    return outcomes


async def _reranked(
    request: Request, pipelines: Sequence[Pipeline], outcomes: Mapping[str, Outcome]
) -> dict[str, Outcome]:
    """By name, what became of those that have a reranker and something to rerank."""
    waiting = {
        pipeline.name: request.rerank(pipeline, answer)
        for pipeline in pipelines
        if pipeline.rerank and isinstance(answer := outcomes[pipeline.name], Answer)
    }
    if not waiting:
        return {}
    done = await asyncio.gather(*waiting.values(), return_exceptions=True)
    return dict(zip(waiting, done, strict=True))


def _attempt(work: Callable[[], T]) -> T | Exception:
    """What `work` returns or raises."""
    try:
        return work()
    except Exception as exc:  # the isolation boundary: no shadow's bug may reach a user or another
        return exc


def _observation(pipeline: Pipeline, outcome: Outcome, elapsed: float) -> Observation:
    """The outcome as it is recorded; a failure has the time that the whole batch took."""
    if isinstance(outcome, Answer):
        return Observation(pipeline.name, pipeline.version, outcome.seconds, outcome)
    if not isinstance(outcome, SearchError):
        log.error("pipeline bug", exc_info=outcome, extra={"pipeline": pipeline.name})
    if isinstance(outcome, NoLegAnswered) and isinstance(outcome.__cause__, BackendTimeout):
        outcome = outcome.__cause__
    error = outcome if isinstance(outcome, Exception) else RuntimeError(repr(outcome))
    return Observation(pipeline.name, pipeline.version, elapsed, None, error)
