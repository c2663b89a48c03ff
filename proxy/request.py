"""The stages of one request, for one pipeline or for many that share their legs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TypeAlias

from proxy.calls import Call
from proxy.candidates import Candidates, collect, embedders, meant_for
from proxy.errors import BackendError
from proxy.fusion import fuse_all
from proxy.legs import Leg
from proxy.model import Answer, Degraded, Query, RankedList
from proxy.plan import Pipeline
from proxy.rerankers import Reranker
from proxy.reranking import STAGE, Reranking
from proxy.retrieval import Clients, Patience, Retrieval

Group: TypeAlias = tuple[tuple[str, ...], str | None]
"""Names of legs, which are one leg each within a configuration, and of a reranker."""
COUNT = "count"
"""The stage of counting what matches the primary leg, where no pipeline's leg did."""


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """A query on its way through pipelines: `ask`, `collect`, `fuse`, then `rerank` where they do.

    `primary` is the leg that totals come from.
    """

    query: Query
    retrieval: Retrieval
    clients: Clients
    primary: Leg
    patience: Patience
    _collected: dict[Group, Candidates] = field(default_factory=dict, repr=False)

    async def ask(self, pipelines: Sequence[Pipeline], counts: Sequence[Leg] = ()) -> None:
        """Have an outcome for every leg and embedding of the pipelines, each asked for once; the
        matches of the legs in `counts` are counted beside.
        """
        asking = {_group(pipeline): pipeline for pipeline in pipelines}.values()
        legs = {name: leg for pipeline in asking for name, leg in pipeline.legs}
        needed = {name for pipeline in asking for name in _needed(pipeline, self.clients)}
        await self.retrieval.ask(legs.items(), needed, self.clients, self.patience, counts)

    def beside(self, pipeline: Pipeline) -> tuple[Leg, ...]:
        """The legs to be counted beside the pipeline: the primary one, for facets that none of the
        pipeline's legs would bring. For a total alone nothing is counted.
        """
        missing = self.query.counting.facets and all(
            leg != self.primary for _, leg in pipeline.legs
        )
        return (self.primary,) if missing else ()

    def counted(self, answer: Answer) -> Answer:
        """The answer with what was counted beside. The user waits for that, and no pipeline is
        charged for it: `seconds` stays.
        """
        run = self.retrieval.count(self.primary)
        staged = replace(answer, stages=(*answer.stages, (COUNT, run.seconds)))
        if isinstance(run.outcome, BackendError):
            return replace(staged, degraded=(*answer.degraded, Degraded(COUNT, run.outcome.reason)))
        partial = (Degraded(COUNT, "partial"),) if run.outcome.partial else ()
        return replace(
            staged,
            total=run.outcome.total,
            degraded=(*answer.degraded, *partial),
            at_least=run.outcome.at_least,
            facets=run.outcome.facets,
        )

    def collect(self, pipeline: Pipeline) -> Candidates:
        """What the pipeline's legs came to; raises NoLegAnswered, BadRequest and bugs."""
        group = _group(pipeline)
        common = self._collected.get(group)
        if common is None:
            needed = _needed(pipeline, self.clients)
            common = collect(pipeline, self.retrieval, needed, self.primary)
            self._collected[group] = common
        return meant_for(common, pipeline.fusion, self.retrieval.table(()))

    def fuse(self, several: Sequence[tuple[Pipeline, Candidates]]) -> list[Answer]:
        """Every pipeline's answer before rerank, all fused at once; the time is shared out.

        Lists reach the query's depth, those that will be reranked at least the reranker's `top`.
        """
        start = perf_counter()
        lists = self._lists(several)
        seconds = (perf_counter() - start) / max(1, len(several))
        return [
            _answer(pipeline, candidates, ranked, seconds)
            for (pipeline, candidates), ranked in zip(several, lists, strict=True)
        ]

    async def rerank(self, pipeline: Pipeline, answer: Answer) -> Answer:
        """The answer after the pipeline's rerank; the same if it has none. Raises bugs."""
        if pipeline.rerank is None:
            return answer
        stage = Reranking(self.retrieval, self.clients, self.primary, self.patience)
        after = await stage.rerank(pipeline.name, pipeline.rerank, answer.ranked)
        return replace(
            answer,
            ranked=after.ranked.top(self.query.depth),
            degraded=(*answer.degraded, *after.degraded),
            stages=(*answer.stages, (STAGE, after.seconds)),
            seconds=answer.seconds + after.seconds,
        )

    def _lists(self, several: Sequence[tuple[Pipeline, Candidates]]) -> list[RankedList]:
        """Fused lists; a pipeline without fusion has its only leg's list."""
        table, depth = self.retrieval.table(()), self.query.depth
        sizes = [self._depth(pipeline, depth) for pipeline, _ in several]
        asked = [
            (pipeline.fusion, candidates.legs)
            for pipeline, candidates in several
            if pipeline.fusion is not None
        ]
        fused = iter(fuse_all(table, asked, max(sizes, default=0)))
        return [
            (table.lists[found.legs[0]] if pipeline.fusion is None else next(fused)).top(size)
            for (pipeline, found), size in zip(several, sizes, strict=True)
        ]

    def _depth(self, pipeline: Pipeline, least: int) -> int:
        reranker = _reranker(pipeline, self.clients)
        return least if reranker is None else max(least, reranker.top)


def calls(pipeline: Pipeline, retrieval: Retrieval, clients: Clients) -> list[Call]:
    """The calls of models that the pipeline needed, whichever pipeline made them."""
    if not retrieval.calls:
        return []
    return retrieval.calls.needed_by(pipeline.name, _needed(pipeline, clients))


def _needed(pipeline: Pipeline, clients: Clients) -> tuple[str, ...]:
    reranker = _reranker(pipeline, clients)
    return embedders(pipeline, None if reranker is None else reranker.embedder)


def _reranker(pipeline: Pipeline, clients: Clients) -> Reranker | None:
    return None if pipeline.rerank is None else clients.rerankers[pipeline.rerank]


def _group(pipeline: Pipeline) -> Group:
    """What pipelines that differ in fusion only have in common, so that they are collected once."""
    return tuple([name for name, _ in pipeline.legs]), pipeline.rerank


def _answer(
    pipeline: Pipeline, candidates: Candidates, ranked: RankedList, fusing: float
) -> Answer:
    """The answer of what was collected and fused; a pipeline without fusion has no such stage."""
    fused = pipeline.fusion is not None
    counted = candidates.counted
    return Answer(
        ranked,
        None if counted is None else counted.total,
        candidates.degraded,
        (*candidates.stages, ("fusion", fusing)) if fused else candidates.stages,
        candidates.seconds + fusing if fused else candidates.seconds,
        candidates.own_legs,
        counted is not None and counted.at_least,
        None if counted is None else counted.facets,
    )
