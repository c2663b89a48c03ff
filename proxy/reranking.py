"""The rerank stage: the first candidates put in a reranker's order, within its budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

from proxy.answer import Degraded
from proxy.backends import Question, Vector, Wanted
from proxy.errors import BackendError
from proxy.legs import Leg
from proxy.model import RankedList, Sources
from proxy.rerankers import Reranker, Shortlist
from proxy.rerankers.texts import texts_of
from proxy.retrieval import Clients, Judged, Patience, Retrieval, Timed, timed

STAGE = "rerank"


@dataclass(frozen=True, slots=True)
class Reranked:
    """The list after the stage, what went wrong in it, and the seconds it took."""

    ranked: RankedList
    degraded: tuple[Degraded, ...]
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class Reranking:
    """The stage for a request: who asks, on which clients; texts are of `primary`'s documents."""

    retrieval: Retrieval
    clients: Clients
    primary: Leg
    patience: Patience

    async def rerank(self, pipeline: str, name: str, fused: RankedList) -> Reranked:
        """Put the first `top` of a pipeline's fused list in a reranker's order, ties by id.

        Those that it can't judge and those beyond `top` follow in fused order, without a score.
        When it fails or overruns, the fused list stands and the stage is degraded. Pipelines that
        rerank the same candidates, in whatever order, share one judgment: it is of each by itself.
        """
        reranker = self.clients.rerankers[name]
        vector = self._vector(reranker)
        if isinstance(vector, BackendError):
            return Reranked(fused, (Degraded(STAGE, vector.reason),), 0.0)
        judged = fused.ids[: reranker.top]
        if not judged:
            return Reranked(fused, (), 0.0)
        key = (name, frozenset(judged))
        self.retrieval.calls.judges(pipeline, key)
        run = await self.retrieval.judged.once(key, lambda: self._judged(key, judged, vector))
        if isinstance(run.outcome, BackendError):
            return Reranked(fused, (Degraded(STAGE, run.outcome.reason),), run.seconds)
        scores = {doc: run.outcome[doc] for doc in judged if doc in run.outcome}
        finite = {doc: score for doc, score in scores.items() if isfinite(score)}
        degraded = (Degraded(STAGE, "bad_score"),) if len(finite) < len(scores) else ()
        return Reranked(reordered(fused, finite), degraded, run.seconds)

    def _vector(self, reranker: Reranker) -> Vector | BackendError | None:
        """The query's vector for the reranker, None where it needs none and there is none."""
        if reranker.embedder is None and self.retrieval.query.vector is None:
            return None
        return self.retrieval.vector(reranker.embedder)

    async def _judged(
        self, key: Judged, ids: tuple[str, ...], vector: Vector | None
    ) -> Timed[Mapping[str, float]]:
        """Scores by id. The texts are fetched within the reranker's budget, and count into it."""
        name, query, role = key[0], self.retrieval.query, self.patience.role
        reranker = self.clients.rerankers[name]
        until = self.patience.limit(reranker.timeout_ms)
        read = await self._read(reranker.text, ids, until)
        if isinstance(read.outcome, BackendError):
            return Timed(read.outcome, read.seconds, role)
        if reranker.text:
            ids = tuple(doc for doc in ids if doc in read.outcome)
        if not ids:
            return Timed({}, read.seconds, role)
        question = Question(query.text, query.filters, vector)
        shortlist = Shortlist(ids, read.outcome)
        scoring = timed(reranker.score(question, shortlist, self.clients.backends), until, role)
        run = await self.retrieval.calls.judging(key, name, len(ids), scoring)
        return Timed(run.outcome, read.seconds + run.seconds, role)

    async def _read(
        self, fields: tuple[str, ...], ids: tuple[str, ...], until: float | None
    ) -> Timed[Mapping[str, str]]:
        """The documents' texts by id, fetched once for all rerankers that read the same."""
        role = self.patience.role
        if not fields:
            return Timed({}, 0.0, role)

        async def fetch() -> Mapping[str, str]:
            backend = self.clients.backends[self.primary.backend]
            wanted = Wanted(Sources(include=fields))
            return texts_of(await backend.fetch(self.primary.index, ids, wanted), fields)

        key = (fields, frozenset(ids))
        return await self.retrieval.texts.once(key, lambda: timed(fetch(), until, role))


def reordered(fused: RankedList, scores: Mapping[str, float]) -> RankedList:
    """The scored documents, best first, ties by id; then the others, in their order.

    >>> reordered(RankedList(("a", "b", "c"), (3.0, 2.0, 1.0)), {"c": 0.9, "a": 0.1})
    RankedList(ids=('c', 'a', 'b'), scores=(0.9, 0.1, None))
    """
    order = sorted((-score, doc) for doc, score in scores.items())
    rest = tuple(doc for doc in fused.ids if doc not in scores)
    best = tuple(doc for _, doc in order)
    return RankedList(best + rest, tuple(-low for low, _ in order) + (None,) * len(rest))
