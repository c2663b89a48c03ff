"""The stages of one request, for one pipeline or for many that share their legs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from proxy.answer import Answer, Degraded
from proxy.calls import Call
from proxy.candidates import Candidates, collect, embedders, meant_for
from proxy.errors import BackendError
from proxy.fusion import fuse_all
from proxy.fusion.table import LegTable
from proxy.legs import Leg
from proxy.model import Query, RankedList
from proxy.plan import Pipeline
from proxy.rerankers import Reranker
from proxy.reranking import STAGE, Reranking
from proxy.retrieval import Clients, Patience, Retrieval

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

    async def ask(self, pipelines: Sequence[Pipeline], counts: Sequence[Leg] = ()) -> None:
        """Have an outcome for every leg and embedding of the pipelines, each asked for once; the
        matches of the legs in `counts` are counted beside.
        """
        legs = {name: leg for pipeline in pipelines for name, leg in pipeline.legs}
        needed = {name for pipeline in pipelines for name in _needed(pipeline, self.clients)}
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
        """What the legs of a pipeline, and of those `alike`, came to.

        Raises NoLegAnswered, BadRequest and bugs.
        """
        return collect(pipeline, self.retrieval, _needed(pipeline, self.clients), self.primary)

    def fuse(self, several: Sequence[tuple[Pipeline, Candidates]]) -> list[Answer]:
        """Every pipeline's answer before rerank, all fused at once; the time is shared out.

        Lists reach the query's depth, those that will be reranked at least the reranker's `top`.
        """
        start, table = perf_counter(), self.retrieval.table(())
        lists = self._lists(several, table)
        seconds = (perf_counter() - start) / max(1, len(several))
        return [
            _answer(pipeline, meant_for(common, pipeline.fusion, table), ranked, seconds)
            for (pipeline, common), ranked in zip(several, lists, strict=True)
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

    def _lists(
        self, several: Sequence[tuple[Pipeline, Candidates]], table: LegTable
    ) -> list[RankedList]:
        """Fused lists; a pipeline without fusion has its only leg's list."""
        depth = self.query.depth
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


def alike(pipelines: Sequence[Pipeline]) -> Collection[list[Pipeline]]:
    """Pipelines that differ in fusion only, together: what they ask and collect is the same.

    They go by names, each of which is one leg or one reranker within a configuration.
    """
    groups: dict[object, list[Pipeline]] = {}
    for pipeline in pipelines:
        key = tuple([name for name, _ in pipeline.legs]), pipeline.rerank
        groups.setdefault(key, []).append(pipeline)
    return groups.values()


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
