"""What the legs of one pipeline came to, before they are fused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from proxy.answer import Degraded
from proxy.backends import Found, Vector
from proxy.errors import BackendError, BackendTimeout, BadRequest, NoLegAnswered, NotAsked
from proxy.fusion.form import Fusion
from proxy.fusion.table import LegTable
from proxy.legs import Leg, embedder_of
from proxy.plan import Pipeline
from proxy.retrieval import Retrieval, Timed


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The legs that answered, in name order, and what that took.

    `seconds` is the slowest leg's, with the embedding that it waited for, as if live had asked.
    """

    legs: tuple[str, ...]
    counted: Found | None
    degraded: tuple[Degraded, ...]
    stages: tuple[tuple[str, float], ...]
    seconds: float
    own_legs: tuple[str, ...]


def embedders(pipeline: Pipeline, reranker: str | None) -> tuple[str, ...]:
    """The embedders that the pipeline's legs need, and its reranker (whose is `reranker`)."""
    needed = {embedder_of(leg) for _, leg in pipeline.legs} | {reranker}
    return tuple(sorted(name for name in needed if name is not None))


def collect(
    pipeline: Pipeline, retrieval: Retrieval, needed: Iterable[str], primary: Leg
) -> Candidates:
    """Read a retrieval that was asked for the pipeline's legs and the embedders it `needed`.

    What this finds is common to pipelines with those legs; `meant_for` fits it to a fusion.
    The total is the primary leg's, if that is one of the pipeline's and answered. Raises
    NoLegAnswered (the cause is a BackendTimeout if all were just slow); BadRequest if no leg could
    be asked for want of text or vector; and what a leg raised as a bug.
    """
    runs = {name: retrieval.leg(leg) for name, leg in pipeline.legs}
    found = {name: run.outcome for name, run in runs.items() if isinstance(run.outcome, Found)}
    if not found:
        raise unanswered(pipeline.name, runs)
    made = {name: run for name in needed if (run := retrieval.embedding(name)) is not None}
    stages: dict[str, Timed[Found] | Timed[Vector]] = {}
    stages.update((f"embed:{name}", run) for name, run in made.items())
    stages.update((f"leg:{name}", run) for name, run in runs.items())
    failed = (
        Degraded(stage, run.outcome.reason)
        for stage, run in stages.items()
        if isinstance(run.outcome, BackendError)
    )
    retrieval.table(pipeline.legs)
    return Candidates(
        legs=tuple(found),
        counted=_counted(pipeline, found, primary),
        degraded=(*failed, *_partial(found)),
        stages=tuple((stage, run.seconds) for stage, run in stages.items()),
        seconds=_slowest(pipeline, runs, {name: run.seconds for name, run in made.items()}),
        own_legs=tuple(name for name, run in runs.items() if run.role == "shadow"),
    )


def meant_for(common: Candidates, fusion: Fusion | None, table: LegTable) -> Candidates:
    """The same for a pipeline with the same legs, whose fusion may not take every score."""
    usable = table if fusion is None else fusion.usable(table)
    if not usable.bad:
        return common
    bad = (name for name in common.legs if name in usable.bad)
    named = tuple(Degraded(f"leg:{name}", "bad_score") for name in bad)
    return replace(common, degraded=common.degraded + named)


def _partial(found: Mapping[str, Found]) -> Iterator[Degraded]:
    """Legs whose engine answered without a part of its shards, or out of time."""
    return (Degraded(f"leg:{name}", "partial") for name, each in found.items() if each.partial)


def _counted(pipeline: Pipeline, found: Mapping[str, Found], primary: Leg) -> Found | None:
    counts = (found[name] for name, leg in pipeline.legs if leg == primary and name in found)
    return next(counts, None)


def _slowest(
    pipeline: Pipeline, runs: Mapping[str, Timed[Found]], embeddings: Mapping[str, float]
) -> float:
    """When the last leg was there; the reranker's embedding is made beside them."""
    waited = (
        runs[name].seconds + embeddings.get(embedder_of(leg) or "", 0)
        for name, leg in pipeline.legs
    )
    return max((*waited, *embeddings.values()))


def unanswered(pipeline: str, runs: Mapping[str, Timed[Found]]) -> NoLegAnswered | BadRequest:
    """The error for a pipeline none of whose legs answered."""
    failures = {
        name: run.outcome for name, run in runs.items() if isinstance(run.outcome, BackendError)
    }
    if all(isinstance(failure, NotAsked) for failure in failures.values()):
        return BadRequest(str(next(iter(failures.values()))), field="query")
    named = ", ".join(f"{name} ({failure.reason})" for name, failure in failures.items())
    error = NoLegAnswered(f"{pipeline}: no leg answered: {named}")
    grave = [each for each in failures.values() if not isinstance(each, BackendTimeout)]
    error.__cause__ = next(iter(grave or failures.values()))
    return error
