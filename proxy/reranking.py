"""The rerank stage: the first candidates put in a reranker's order, within its budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

from proxy.backends import Question, Vector
from proxy.errors import BackendError
from proxy.model import Degraded, RankedList
from proxy.rerankers import Reranker, Shortlist
from proxy.retrieval import Clients, Patience, Retrieval, timed

STAGE = "rerank"


@dataclass(frozen=True, slots=True)
class Reranked:
    """The list after the stage, what went wrong in it, and the seconds it took."""

    ranked: RankedList
    degraded: tuple[Degraded, ...]
    seconds: float


async def rerank(
    fused: RankedList,
    reranker: Reranker,
    retrieval: Retrieval,
    clients: Clients,
    patience: Patience,
) -> Reranked:
    """Put the first `top` of the fused list in the reranker's order, ties by document id.

    Those that it can't judge and those beyond `top` follow in fused order, without a score. When it
    fails or overruns, the fused list stands and the stage is degraded.
    """
    vector = _vector(reranker, retrieval)
    if isinstance(vector, BackendError):
        return Reranked(fused, (Degraded(STAGE, vector.reason),), 0.0)
    question = Question(retrieval.query.text, retrieval.query.filters, vector)
    judged = fused.ids[: reranker.top]
    scoring = reranker.score(question, Shortlist(judged), clients.backends)
    run = await timed(scoring, patience.limit(reranker.timeout_ms), patience.role)
    if isinstance(run.outcome, BackendError):
        return Reranked(fused, (Degraded(STAGE, run.outcome.reason),), run.seconds)
    scores = {doc: run.outcome[doc] for doc in judged if doc in run.outcome}
    finite = {doc: score for doc, score in scores.items() if isfinite(score)}
    degraded = (Degraded(STAGE, "bad_score"),) if len(finite) < len(scores) else ()
    return Reranked(reordered(fused, finite), degraded, run.seconds)


def reordered(fused: RankedList, scores: Mapping[str, float]) -> RankedList:
    """The scored documents, best first, ties by id; then the others, in their order.

    >>> reordered(RankedList(("a", "b", "c"), (3.0, 2.0, 1.0)), {"c": 0.9, "a": 0.1})
    RankedList(ids=('c', 'a', 'b'), scores=(0.9, 0.1, None))
    """
    order = sorted((-score, doc) for doc, score in scores.items())
    rest = tuple(doc for doc in fused.ids if doc not in scores)
    best = tuple(doc for _, doc in order)
    return RankedList(best + rest, tuple(-low for low, _ in order) + (None,) * len(rest))


def _vector(reranker: Reranker, retrieval: Retrieval) -> Vector | BackendError | None:
    """The query's vector for the reranker, None where it needs none and the request has none."""
    if reranker.embedder is None and retrieval.query.vector is None:
        return None
    return retrieval.vector(reranker.embedder)
