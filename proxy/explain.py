"""One query through several pipelines side by side, with what each leg said of each document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from proxy.answer import Degraded, Observation
from proxy.backends import Found
from proxy.legs import Leg
from proxy.model import Query, RankedList
from proxy.pipeline import run_all
from proxy.plan import Pipeline
from proxy.retrieval import Clients, Retrieval


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document stands in a leg's list."""

    rank: int
    score: float | None


@dataclass(frozen=True, slots=True)
class ExplainedHit:
    """A document in a pipeline's list; `legs` holds its place in each of the legs that found it."""

    id: str
    rank: int
    score: float | None
    legs: Mapping[str, Place]


@dataclass(frozen=True, slots=True)
class ExplainedPipeline:
    """What a pipeline made of the query: hits, or the `error` for which there are none."""

    version: str
    hits: tuple[ExplainedHit, ...]
    total: int | None
    degraded: tuple[Degraded, ...]
    stages: Mapping[str, float]
    seconds: float
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ExplainedLeg:
    """What a leg found: the ids of its first ranks, and its `error` if it failed."""

    ids: tuple[str, ...]
    scores: tuple[float | None, ...]
    total: int | None
    seconds: float
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Pipelines and legs by name, each list as deep as the page that was asked for."""

    pipelines: Mapping[str, ExplainedPipeline]
    legs: Mapping[str, ExplainedLeg]


async def explain(
    pipelines: Sequence[Pipeline], query: Query, clients: Clients, primary: tuple[str, Leg]
) -> Explanation:
    """Run the query through every pipeline, sharing legs as live and shadows do.

    Only the budgets of legs and rerankers apply, so that a slow pipeline can be seen to the end.
    """
    retrieval = Retrieval(query, primary[1])
    observations = await run_all(pipelines, query, retrieval, clients, primary=primary)
    legs = dict(sorted((name, leg) for pipeline in pipelines for name, leg in pipeline.legs))
    answered = {name: leg for name, leg in legs.items() if retrieval.bug(leg) is None}
    lists = retrieval.table(answered.items()).lists
    places = {name: _places(ranked) for name, ranked in lists.items()}
    depth = query.offset + query.size
    return Explanation(
        {
            pipeline.name: _pipeline(
                seen, depth, {name: places[name] for name, _ in pipeline.legs if name in places}
            )
            for pipeline, seen in zip(pipelines, observations, strict=True)
        },
        {name: _leg(leg, retrieval, lists.get(name), depth) for name, leg in legs.items()},
    )


def _places(ranked: RankedList) -> Mapping[str, Place]:
    return {doc: Place(rank, score) for rank, doc, score in ranked.ranks()}


def _pipeline(
    seen: Observation, depth: int, places: Mapping[str, Mapping[str, Place]]
) -> ExplainedPipeline:
    """`places` are those in the pipeline's own legs, by leg and document."""
    if seen.answer is None:
        return ExplainedPipeline(seen.version, (), None, (), {}, seen.seconds, _said(seen.error))
    answer = seen.answer
    return ExplainedPipeline(
        seen.version,
        tuple(
            ExplainedHit(doc, rank, score, _legs_of(doc, places))
            for rank, doc, score in answer.ranked.top(depth).ranks()
        ),
        answer.total,
        answer.degraded,
        dict(answer.stages),
        answer.seconds,
    )


def _legs_of(doc: str, places: Mapping[str, Mapping[str, Place]]) -> Mapping[str, Place]:
    return {name: found[doc] for name, found in places.items() if doc in found}


def _leg(leg: Leg, retrieval: Retrieval, ranked: RankedList | None, depth: int) -> ExplainedLeg:
    """`ranked` is the leg's list as fusions see it, None where there is none."""
    bug = retrieval.bug(leg)
    if bug is not None:
        return ExplainedLeg((), (), None, 0.0, _said(bug))
    run = retrieval.leg(leg)
    if ranked is None or not isinstance(run.outcome, Found):
        return ExplainedLeg((), (), None, run.seconds, _said(run.outcome))
    shown = ranked.top(depth)
    return ExplainedLeg(shown.ids, shown.scores, run.outcome.total, run.seconds)


def _said(error: object) -> str:
    return f"{type(error).__name__}: {error}"
