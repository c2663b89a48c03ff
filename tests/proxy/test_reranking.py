"""The rerank stage, with a reranker that behaves."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.answer import Degraded
from proxy.backends import Backend, Document, Question, Wanted
from proxy.calls import Call
from proxy.errors import BackendError, BackendRefused, NotAsked
from proxy.legs.lexical import Lexical
from proxy.model import Query, RankedList, Sources
from proxy.rerankers import Shortlist
from proxy.reranking import Reranked, Reranking, reordered
from proxy.retrieval import Patience, Retrieval
from tests.fakes import FakeBackend, FakeEmbedder, clients, ranked

QUERY = Query("q", b"q", "faq", "red fox")
LIVE = Patience("live")
SHADOW = Patience("shadow")
PRIMARY = Lexical("main", "faq", ("title",))


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
    asked: list[tuple[Question, Shortlist]] = field(default_factory=list)

    async def score(
        self, question: Question, shortlist: Shortlist, backends: Mapping[str, Backend]
    ) -> Mapping[str, float]:
        self.asked.append((question, shortlist))
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
    retrieval, open_parts = (
        Retrieval(query),
        clients(FakeBackend({}), embedder, {"judge": reranker}),
    )
    if reranker.embedder is not None:
        await retrieval.ask((), [reranker.embedder], open_parts, patience)
    stage = Reranking(retrieval, open_parts, PRIMARY, patience)
    return await stage.rerank("reranked", "judge", ranked(ids))


async def test_those_beyond_the_top_follow_in_fused_order_without_a_score():
    """
    The first three are judged; nobody asks about the others.
    """
    reranker = FakeReranker({"c": 0.9, "a": 0.5, "b": 0.1, "e": 7.0})

    after = await reranked(reranker)

    assert RankedList(("c", "a", "b", "d", "e"), (0.9, 0.5, 0.1, None, None)) == after.ranked
    assert () == after.degraded
    assert ("a", "b", "c") == reranker.asked[0][1].ids


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


async def test_nothing_to_judge_is_not_judged():
    """
    An empty list costs no call and degrades nothing.
    """
    reranker = FakeReranker({})

    assert Reranked(RankedList(), (), 0.0) == await reranked(reranker, "")
    assert [] == reranker.asked


@dataclass
class Library(FakeBackend):
    """A backend whose documents have sources; it notes what was fetched of which."""

    sources: Mapping[str, bytes] = field(default_factory=dict)
    fetched: list[tuple[str, tuple[str, ...], Wanted]] = field(default_factory=list)

    async def fetch(self, index: str, ids: Sequence[str], wanted: Wanted) -> Mapping[str, Document]:
        self.fetched.append((index, tuple(ids), wanted))
        await asyncio.sleep(self.delays.get("fetch", 0))
        if "fetch" in self.errors:
            raise self.errors["fetch"]
        return {doc: Document(self.sources[doc]) for doc in ids if doc in self.sources}


SOURCES = {
    "a": b'{"title": "fox", "text": ["red", "quick"]}',
    "b": b'{"title": "hen"}',
    "c": b'{"title": "", "year": 7}',
    "e": b'{"title": "owl"}',
}
READS = ("title", "text")


def stage_of(
    library: Library,
    patience: Patience = LIVE,
    retrieval: Retrieval | None = None,
    **rerankers: FakeReranker,
) -> Reranking:
    parts = clients(library, rerankers=rerankers)
    return Reranking(retrieval or Retrieval(QUERY), parts, PRIMARY, patience)


async def test_a_reranker_of_texts_gets_the_fields_it_reads():
    """
    Fetched by id from the primary leg's index, those fields only, of its candidates only.
    """
    library, judge = Library({}, sources=SOURCES), FakeReranker({"b": 2.0}, text=READS)

    await stage_of(library, judge=judge).rerank("p", "judge", ranked("a b e d c"))

    ((index, ids, wanted),) = library.fetched
    assert ("faq", ("a", "b", "e"), Sources(READS)) == (index, ids, wanted.sources)
    ((_, shortlist),) = judge.asked
    assert {"a": "fox\nred\nquick", "b": "hen", "e": "owl"} == shortlist.texts


async def test_what_has_no_text_stays_in_fused_order():
    """
    `d` is gone and `c` has none: neither is sent, both follow the judged.
    """
    library = Library({}, sources=SOURCES)
    judge = FakeReranker({"a": 0.1, "b": 0.2}, top=4, text=READS)

    after = await stage_of(library, judge=judge).rerank("p", "judge", ranked("d a c b e"))

    assert ("a", "b") == judge.asked[0][1].ids
    assert RankedList(("b", "a", "d", "c", "e"), (0.2, 0.1, None, None, None)) == after.ranked
    assert () == after.degraded


async def test_without_any_text_nobody_is_asked():
    """
    The fused order stands, and no call is charged.
    """
    judge = FakeReranker({}, text=READS)
    stage = stage_of(Library({}), judge=judge)

    after = await stage.rerank("p", "judge", ranked("a b"))

    assert (("a", "b"), (), []) == (after.ranked.ids, after.degraded, judge.asked)
    assert [] == stage.retrieval.calls.needed_by("p", ())


@pytest.mark.parametrize(
    ("library", "reason"),
    [
        (Library({}, errors={"fetch": BackendRefused("no such index")}), "refused"),
        (Library({}, sources={"a": b"<html>"}), "error"),
        (Library({}, delays={"fetch": 5}), "timeout"),
    ],
)
async def test_texts_that_do_not_come_degrade_the_stage(library: Library, reason: str):
    """
    Within the reranker's budget, for the fetch's own reason; the model isn't asked.
    """
    judge = FakeReranker({}, text=READS, timeout_ms=30)

    after = await stage_of(library, judge=judge).rerank("p", "judge", ranked("a b"))

    assert (ranked("a b"), (Degraded("rerank", reason),)) == (after.ranked, after.degraded)
    assert after.seconds < 1
    assert [] == judge.asked


async def test_one_budget_for_fetch_and_model():
    """
    A fetch that used most of it leaves the model the rest; the stage took both.
    """
    library = Library({}, sources=SOURCES, delays={"fetch": 0.06})
    judge = FakeReranker({"b": 1.0}, text=READS, delay=0.06, timeout_ms=100)

    late = await stage_of(library, judge=judge).rerank("p", "judge", ranked("a b"))
    enough = replace(judge, timeout_ms=2000)
    done = await stage_of(library, judge=enough).rerank("p", "judge", ranked("a b"))

    assert (Degraded("rerank", "timeout"),) == late.degraded
    assert (("b", "a"), ()) == (done.ranked.ids, done.degraded)
    assert done.seconds >= 0.11


async def test_the_same_candidates_are_fetched_and_judged_once():
    """
    In whatever order they were fused, at the same time or later; each pipeline needs the call.
    """
    library = Library({}, sources=SOURCES)
    judge = FakeReranker({"a": 1.0, "b": 2.0, "e": 3.0}, text=READS, delay=0.01)
    retrieval = Retrieval(QUERY)
    live = stage_of(library, LIVE, retrieval, judge=judge)
    shadow = stage_of(Library({}), SHADOW, retrieval, judge=FakeReranker({}))

    first, beside = await asyncio.gather(
        live.rerank("live", "judge", ranked("a b e x")),
        live.rerank("beside", "judge", ranked("b e a y")),
    )
    after = await shadow.rerank("shadow", "judge", ranked("e b a z"))

    assert (1, 1) == (len(library.fetched), len(judge.asked))
    assert [("e", "b", "a")] * 3 == [each.ranked.ids[:3] for each in (first, beside, after)]
    assert {first.seconds} == {beside.seconds, after.seconds}
    call = Call("reranker", "judge", 3, "ok")
    assert [[call]] * 3 == [
        retrieval.calls.needed_by(name, ()) for name in ("live", "beside", "shadow")
    ]


async def test_other_candidates_are_another_judgment():
    """
    On the clients of whoever asks; two rerankers of the same fields share the fetch.
    """
    library, side = Library({}, sources=SOURCES), Library({}, sources=SOURCES)
    retrieval = Retrieval(QUERY)
    judge, other = FakeReranker({"a": 1.0}, text=READS), FakeReranker({"b": 1.0}, text=READS)
    live = stage_of(library, LIVE, retrieval, judge=judge, other=other)
    shadow = stage_of(side, SHADOW, retrieval, judge=replace(judge))

    await live.rerank("live", "judge", ranked("a b e"))
    await live.rerank("other", "other", ranked("a b e"))
    await shadow.rerank("shadow", "judge", ranked("a b c"))

    assert [1, 1] == [len(library.fetched), len(side.fetched)]
    assert ("a", "b") == judge.asked[1][1].ids
    assert 1 == len(other.asked)


@pytest.mark.parametrize(
    ("judge", "outcome"),
    [
        (FakeReranker({}), "ok"),
        (FakeReranker({}, delay=5, timeout_ms=20), "timeout"),
        (FakeReranker({}, error=BackendRefused("wrong key")), "refused"),
        (FakeReranker({}, error=BackendError("503")), "error"),
        (FakeReranker({}, error=NotAsked("no vector", reason="no_vector")), None),
    ],
)
async def test_every_call_is_kept_with_how_it_ended(judge: FakeReranker, outcome: str | None):
    """
    But for what was never sent.
    """
    stage = stage_of(Library({}), judge=judge)

    await stage.rerank("p", "judge", ranked("a b"))

    made = [call.outcome for call in stage.retrieval.calls.needed_by("p", ())]
    assert ([] if outcome is None else [outcome]) == made


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
