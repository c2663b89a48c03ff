"""The rerank stage, with a reranker that behaves."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.backends import Backend, Question
from proxy.errors import BackendError, BackendRefused
from proxy.model import Degraded, Query, RankedList
from proxy.rerankers import Shortlist
from proxy.reranking import Reranked, reordered, rerank
from proxy.retrieval import Patience, Retrieval
from tests.fakes import FakeBackend, FakeEmbedder, clients, ranked

QUERY = Query("q", b"q", "faq", "red fox")
LIVE = Patience("live")


@dataclass
class FakeReranker:
    """Scores what it knows, late or with an error."""

    scores: Mapping[str, float]
    top: int = 3
    timeout_ms: int = 1000
    embedder: str | None = None
    text: tuple[str, ...] = ()
    delay: float = 0.0
    error: Exception | None = None
    asked: list[tuple[Question, tuple[str, ...]]] = field(default_factory=list)

    async def score(
        self, question: Question, shortlist: Shortlist, backends: Mapping[str, Backend]
    ) -> Mapping[str, float]:
        self.asked.append((question, shortlist.ids))
        await asyncio.sleep(self.delay)
        if self.error is not None:
            raise self.error
        return self.scores


async def reranked(
    reranker: FakeReranker,
    ids: str = "a b c d e",
    query: Query = QUERY,
    patience: Patience = LIVE,
    embedder: FakeEmbedder | None = None,
) -> Reranked:
    retrieval, open_parts = Retrieval(query), clients(FakeBackend({}), embedder)
    if reranker.embedder is not None:
        await retrieval.ask((), [reranker.embedder], open_parts, patience)
    return await rerank(ranked(ids), reranker, retrieval, open_parts, patience)


async def test_those_beyond_the_top_follow_in_fused_order_without_a_score():
    """
    The first three are judged; nobody asks about the others.
    """
    reranker = FakeReranker({"c": 0.9, "a": 0.5, "b": 0.1, "e": 7.0})

    after = await reranked(reranker)

    assert RankedList(("c", "a", "b", "d", "e"), (0.9, 0.5, 0.1, None, None)) == after.ranked
    assert () == after.degraded
    assert ("a", "b", "c") == reranker.asked[0][1]


async def test_those_it_can_not_judge_follow_the_judged():
    """
    In fused order, without a score.
    """
    after = await reranked(FakeReranker({"c": 0.1}))

    assert ("c", "a", "b", "d", "e") == after.ranked.ids
    assert (0.1, None, None, None, None) == after.ranked.scores


async def test_ties_go_to_the_smaller_id():
    """
    Not to who was ahead before.
    """
    after = await reranked(FakeReranker({"a": 1, "b": 1, "c": 1}), "c b a")

    assert ("a", "b", "c") == after.ranked.ids


@pytest.mark.parametrize(
    ("reranker", "reason"),
    [
        (FakeReranker({}, delay=5, timeout_ms=20), "timeout"),
        (FakeReranker({}, error=BackendError("down")), "error"),
        (FakeReranker({}, error=BackendRefused("no such model")), "refused"),
    ],
)
async def test_when_it_fails_the_fused_order_stands(reranker: FakeReranker, reason: str):
    """
    With its scores, and the stage is degraded.
    """
    after = await reranked(reranker)

    assert ranked("a b c d e") == after.ranked
    assert (Degraded("rerank", reason),) == after.degraded


async def test_the_deadline_ends_it_too():
    """
    Even when its own budget is larger.
    """
    patience = Patience.of("live", 0.02)

    after = await reranked(FakeReranker({}, delay=5, timeout_ms=9000), patience=patience)

    assert (Degraded("rerank", "timeout"),) == after.degraded
    assert after.seconds < 1


@pytest.mark.parametrize("bad", [nan, inf, -inf])
async def test_a_score_that_is_not_finite_is_none(bad: float):
    """
    Its document follows the judged, and the stage is degraded.
    """
    after = await reranked(FakeReranker({"a": bad, "b": 0.5}))

    assert RankedList(("b", "a", "c", "d", "e"), (0.5, None, None, None, None)) == after.ranked
    assert (Degraded("rerank", "bad_score"),) == after.degraded


async def test_a_bug_is_raised():
    """
    Whoever runs the pipeline decides what becomes of it.
    """
    with pytest.raises(ZeroDivisionError):
        await reranked(FakeReranker({}, error=ZeroDivisionError()))


async def test_it_gets_the_vector_that_its_embedder_made():
    """
    The request's embedding, with the text and the filters.
    """
    reranker = FakeReranker({}, embedder="mini")

    await reranked(reranker)

    ((question, _),) = reranker.asked
    assert ("red fox", [1.0, 0.0]) == (question.text, question.vector.tolist())


async def test_it_is_not_asked_without_the_vector_it_needs():
    """
    An embedding that failed degrades the stage for the same reason.
    """
    reranker = FakeReranker({}, embedder="mini")

    after = await reranked(reranker, embedder=FakeEmbedder(error=BackendRefused("no")))

    assert (Degraded("rerank", "refused"),) == after.degraded
    assert [] == reranker.asked


async def test_one_that_needs_no_vector_gets_none():
    """
    A model that reads texts is asked without.
    """
    reranker = FakeReranker({})

    await reranked(reranker)

    assert reranker.asked[0][0].vector is None


@given(
    st.lists(st.sampled_from("abcdefgh"), unique=True),
    st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-5, 5)),
)
def test_no_document_is_lost_or_added(ids: list[str], scores: dict[str, float]):
    """
    It is a permutation, the judged first.
    """
    fused = RankedList(tuple(ids), tuple(float(-rank) for rank in range(len(ids))))
    known = {doc: score for doc, score in scores.items() if doc in ids}

    after = reordered(fused, known)

    assert sorted(ids) == sorted(after.ids)
    assert set(known) == set(after.ids[: len(known)])
    assert [doc for doc in ids if doc not in known] == list(after.ids[len(known) :])
