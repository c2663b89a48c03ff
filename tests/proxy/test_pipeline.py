"""Pipelines from query to answer, live and as shadows."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

import pytest

from proxy.answer import Answer, Degraded, Observation
from proxy.backends import Found, Question
from proxy.errors import BackendError, BackendTimeout, BadRequest, NoLegAnswered
from proxy.fusion import RRF, Fusion, Weighted
from proxy.legs import Leg
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.model import Counting, Query, RankedList, TermsFacet
from proxy.pipeline import count, run, run_all
from proxy.plan import Pipeline
from proxy.rerankers.embedding import Embedding
from proxy.retrieval import Retrieval
from tests.fakes import FakeBackend, FakeEmbedder, clients

BM25 = Lexical("main", "bm25", ("text",))
DENSE = Knn("main", "dense", "embedding", "mini")
OTHER = Knn("main", "other", "embedding", "mini")
NEAREST = Embedding("main", "dense", "embedding", "mini", top=5, timeout_ms=200)
PRIMARY = ("bm25", BM25)
QUERY = Query("q", b"q", "faq", "red fox")
LISTS = {"bm25": "a b c d", "dense": "d e a f", "other": "z y"}
STORED = {"a": (0.0, 1.0), "b": (1.0, 0.1), "d": (1.0, 1.0), "e": (1.0, 0.0), "f": (-1.0, 0.0)}


def pipeline(
    name: str, fusion: Fusion | None = None, rerank: str | None = None, **legs: Leg
) -> Pipeline:
    return Pipeline(name, f"v-{name}", tuple(sorted(legs.items())), fusion, rerank)


def hybrid(name: str, fusion: Fusion | None = None, rerank: str | None = None) -> Pipeline:
    return pipeline(name, fusion or RRF(), rerank, bm25=BM25, dense=DENSE)


LIVE = hybrid("live")
RERANKED = hybrid("reranked", rerank="nearest")


async def served(
    which: Pipeline,
    backend: FakeBackend,
    embedder: FakeEmbedder | None = None,
    query: Query = QUERY,
    deadline: float | None = None,
) -> Answer:
    parts = clients(backend, embedder, {"nearest": NEAREST})
    return await run(which, query, Retrieval(query), parts, primary=PRIMARY, deadline=deadline)


async def observed(
    pipelines: list[Pipeline], backend: FakeBackend, retrieval: Retrieval | None = None
) -> list[Observation]:
    parts = clients(backend, rerankers={"nearest": NEAREST})
    return await run_all(pipelines, QUERY, retrieval or Retrieval(QUERY), parts, primary=PRIMARY)


async def test_legs_are_fused():
    """
    Ranks 1 and 3, then 4 and 1: the answer has everything that records need.
    """
    answer = await served(LIVE, FakeBackend(LISTS))

    assert ("a", "d", "b", "e", "c", "f") == answer.ranked.ids
    assert 1 / 61 + 1 / 63 == pytest.approx(answer.ranked.scores[0])
    assert (40, (), ()) == (answer.total, answer.degraded, answer.own_legs)
    assert ["embed:mini", "leg:bm25", "leg:dense", "fusion"] == [name for name, _ in answer.stages]


async def test_a_slow_leg_costs_its_results_not_the_answer():
    """
    A leg that overruns its budget is left out, and the answer says so.
    """
    slow = pipeline("live", RRF(), bm25=BM25, dense=replace(DENSE, timeout_ms=20))

    answer = await served(slow, FakeBackend(LISTS, delays={"dense": 5}))

    assert ("a", "b", "c", "d") == answer.ranked.ids
    assert (Degraded("leg:dense", "timeout"),) == answer.degraded


@dataclass
class FakeCounter(FakeBackend):
    """A backend that counts 7 matches and a facet, in its own time, or with an error."""

    late: float = 0.0
    error: Exception | None = None
    partial: bool = False
    counted: list[Question] = field(default_factory=list)

    async def count(self, leg: Leg, question: Question) -> Found:
        self.counted.append(question)
        await asyncio.sleep(self.late)
        if self.error is not None:
            raise self.error
        return Found(RankedList(), 7, at_least=True, facets=b"{}", partial=self.partial)


FACETED = replace(QUERY, counting=Counting(50, (TermsFacet("by", "course"),)))
ONLY_DENSE = pipeline("dense", dense=DENSE)


async def answered(which: Pipeline, backend: FakeBackend, query: Query = FACETED) -> Answer:
    parts = clients(backend, rerankers={"nearest": NEAREST})
    retrieval = Retrieval(query, BM25)
    return await run(which, query, retrieval, parts, primary=PRIMARY, deadline=1)


async def test_facets_are_counted_beside_a_pipeline_without_the_primary_leg():
    """
    At the same time as its legs; the user waits for them, the pipeline isn't charged.
    """
    backend = FakeCounter(LISTS, delays={"dense": 0.15}, late=0.25)
    start = asyncio.get_running_loop().time()

    answer = await answered(ONLY_DENSE, backend)

    assert asyncio.get_running_loop().time() - start < 0.39
    assert (7, True, b"{}", ()) == (
        answer.total, answer.at_least, answer.facets, answer.degraded,
    )  # fmt: skip
    assert ["embed:mini", "leg:dense", "count"] == [stage for stage, _ in answer.stages]
    assert dict(answer.stages)["count"] >= 0.25 > answer.seconds
    assert [FACETED.counting] == [question.counting for question in backend.counted]
    assert [None] == [question.counting for question in backend.questions]


async def test_who_has_the_primary_leg_or_wants_no_facets_counts_nothing_beside():
    """
    A total alone isn't worth a request.
    """
    backend = FakeCounter(LISTS)

    hybrid_answer = await answered(LIVE, backend)
    plain = await answered(ONLY_DENSE, backend, QUERY)

    assert [] == backend.counted
    assert (40, None) == (hybrid_answer.total, plain.total)


@pytest.mark.parametrize(
    ("backend", "reason", "total"),
    [
        (FakeCounter(LISTS, error=BackendError("down")), "error", None),
        (FakeCounter(LISTS, late=5), "timeout", None),
        (FakeCounter(LISTS, partial=True), "partial", 7),
    ],
)
async def test_a_count_that_fails_degrades_its_stage(
    backend: FakeCounter, reason: str, total: int | None
):
    """
    What was found is shown without it, reranked as ever.
    """
    backend.stored = STORED
    which = replace(RERANKED, legs=(("dense", DENSE),), fusion=None)
    parts = clients(backend, rerankers={"nearest": NEAREST})
    primary = ("bm25", replace(BM25, timeout_ms=30))

    answer = await run(
        which, FACETED, Retrieval(FACETED, primary[1]), parts, primary=primary, deadline=1
    )

    assert (Degraded("count", reason),) == answer.degraded
    assert (total, "e") == (answer.total, answer.ranked.ids[0])


async def test_counts_alone():
    """
    One question, no leg, no document; its seconds are what the answer took.
    """
    backend = FakeCounter(LISTS, late=0.01)

    answer = await count(
        FACETED, Retrieval(FACETED, BM25), clients(backend), primary=PRIMARY, deadline=1
    )

    assert (RankedList(), 7, b"{}") == (answer.ranked, answer.total, answer.facets)
    assert (("count", answer.seconds),) == answer.stages
    assert (1, []) == (len(backend.counted), backend.asked)


@pytest.mark.parametrize(
    ("query", "primary", "error"),
    [
        (QUERY, PRIMARY, NoLegAnswered),
        (replace(QUERY, text=" "), ("dense", DENSE), BadRequest),
    ],
)
async def test_counts_alone_that_do_not_come(
    query: Query, primary: tuple[str, Leg], error: type[Exception]
):
    """
    As when no leg answers, or none could be asked.
    """
    parts = clients(FakeCounter(LISTS, error=BackendTimeout("slow")))

    with pytest.raises(error) as info:
        await count(query, Retrieval(query, primary[1]), parts, primary=primary, deadline=1)

    assert error is BadRequest or isinstance(info.value.__cause__, BackendTimeout)


async def test_the_deadline_cuts_what_the_budgets_allow():
    """
    Seconds from now, for legs, embedding and rerank together.
    """
    backend = FakeBackend(LISTS, delays={"vectors": 5}, stored=STORED)
    patient = replace(NEAREST, timeout_ms=9000)
    parts = clients(backend, rerankers={"nearest": patient})

    answer = await run(RERANKED, QUERY, Retrieval(QUERY), parts, primary=PRIMARY, deadline=0.05)

    assert (Degraded("rerank", "timeout"),) == answer.degraded
    assert ("a", "d", "b", "e", "c", "f") == answer.ranked.ids
    assert answer.seconds < 1


async def test_no_leg_answered():
    """
    Only that is an error to the user.
    """
    down = BackendError("down")

    with pytest.raises(NoLegAnswered, match="live"):
        await served(LIVE, FakeBackend(LISTS, errors={"bm25": down, "dense": down}))


async def test_a_bug_is_loud_when_live():
    """
    Even if another leg answered.
    """
    with pytest.raises(ZeroDivisionError):
        await served(LIVE, FakeBackend(LISTS, errors={"dense": ZeroDivisionError()}))


async def test_a_client_that_leaves_takes_its_searches_along():
    """
    No task is left behind.
    """
    backend = FakeBackend(LISTS, delays={"bm25": 5, "dense": 5})
    live = asyncio.create_task(served(LIVE, backend))
    await asyncio.sleep(0.02)

    live.cancel()

    with pytest.raises(asyncio.CancelledError):
        await live
    assert ["bm25", "dense"] == sorted(backend.cancelled)
    assert {asyncio.current_task()} == asyncio.all_tasks()


async def test_reranking_by_stored_vectors_is_dense_order_over_the_candidates():
    """
    The first five of the fused list by cosine; who has no vector and who is beyond follow.
    """
    answer = await served(RERANKED, FakeBackend(LISTS, stored=STORED))

    # Cosines with (1, 0): e 1, b .995, d .71, a 0; c has no vector, f is the sixth.
    assert ("e", "b", "d", "a", "c", "f") == answer.ranked.ids
    assert (None, None) == answer.ranked.scores[4:]


async def test_a_reranker_can_embed_for_legs_that_do_not():
    """
    Its embedding is a stage of the pipeline, made while bm25 runs.
    """
    backend = FakeBackend(LISTS, stored=STORED, delays={"bm25": 0.05})

    answer = await served(
        pipeline("p", rerank="nearest", bm25=BM25), backend, FakeEmbedder(delay=0.05)
    )

    assert ("b", "d", "a", "c") == answer.ranked.ids
    assert ["embed:mini", "leg:bm25", "rerank"] == [name for name, _ in answer.stages]
    assert 0.05 <= answer.seconds < 0.1


async def test_ten_shadows_that_only_fuse_otherwise_run_no_leg():
    """
    Zero extra searches, zero extra embeddings, each its own list.
    """
    backend, retrieval = FakeBackend(LISTS), Retrieval(QUERY)
    embedder = FakeEmbedder()
    parts = clients(backend, embedder)
    await run(LIVE, QUERY, retrieval, parts, primary=PRIMARY, deadline=None)
    weights = (("bm25", 1.0), ("dense", 3.0))
    shadows = [
        *(hybrid(f"rrf{n}", RRF(n)) for n in (1, 5, 20, 100)),
        *(hybrid(f"w{n}", RRF(n, weights)) for n in (1, 60)),
        *(hybrid(how, Weighted(how)) for how in ("min_max", "l2", "z_score", "none")),
    ]

    seen = await run_all(shadows, QUERY, retrieval, clients(FakeBackend({})), primary=PRIMARY)

    assert [("bm25", "live"), ("dense", "live")] == list(retrieval.executed)
    assert (1, 2) == (len(embedder.texts), len(backend.asked))
    assert [shadow.name for shadow in shadows] == [each.pipeline for each in seen]
    assert all(each.answer is not None and each.answer.own_legs == () for each in seen)


async def test_a_shadow_of_the_same_strategy_gives_the_same_answer():
    """
    Live and shadow can't disagree, and it is charged what live waited for.
    """
    backend, retrieval = FakeBackend(LISTS, delays={"dense": 0.03}, stored=STORED), Retrieval(QUERY)
    parts = clients(backend, rerankers={"nearest": NEAREST})
    live = await run(RERANKED, QUERY, retrieval, parts, primary=PRIMARY, deadline=None)

    same, other = await observed([replace(RERANKED, name="same"), LIVE], backend, retrieval)

    assert live.ranked == same.answer.ranked
    assert live.total == same.answer.total
    assert live.stages[:3] == same.answer.stages[:3]
    assert same.seconds == same.answer.seconds >= 0.03
    assert live.ranked != other.answer.ranked


async def test_shadows_run_the_legs_that_only_they_need_together():
    """
    Each once, on their own clients, and named as theirs.
    """
    live_backend, retrieval = FakeBackend(LISTS), Retrieval(QUERY)
    parts = clients(live_backend)
    only_bm25 = pipeline("live", bm25=BM25)
    await run(only_bm25, QUERY, retrieval, parts, primary=PRIMARY, deadline=None)
    backend = FakeBackend(LISTS, delays={"dense": 0.1, "other": 0.1})
    start = asyncio.get_running_loop().time()

    seen = await observed(
        [LIVE, hybrid("again", RRF(1)), pipeline("other", other=OTHER)], backend, retrieval
    )

    assert asyncio.get_running_loop().time() - start < 0.19
    assert ["dense", "other"] == sorted(backend.asked)
    assert [("dense",), ("dense",), ("other",)] == [each.answer.own_legs for each in seen]


async def test_whatever_happens_to_a_shadow_is_a_value(caplog):
    """
    A bug in a leg, a fusion or a reranker hits those that have it, and nobody else.
    """
    down, bug = BackendError("down"), ZeroDivisionError("bug")
    backend = FakeBackend(LISTS, errors={"other": bug, "vectors": bug, "third": down})
    third = Lexical("main", "third", ("text",))

    fine, buggy, reranked, failed = await observed(
        [LIVE, pipeline("buggy", other=OTHER), RERANKED, pipeline("failed", third=third)], backend
    )

    assert ("a", "d") == fine.answer.ranked.ids[:2]
    assert (None, bug) == (buggy.answer, buggy.error)
    assert (None, bug) == (reranked.answer, reranked.error)
    assert isinstance(failed.error, NoLegAnswered)
    assert down is failed.error.__cause__
    assert ["pipeline bug"] * 2 == [record.message for record in caplog.records]


class BrokenFusion(RRF):
    """A fusion with a bug."""

    def values(self, table, legs):
        raise ZeroDivisionError("bug")


async def test_a_bug_in_fusing_is_a_value_too():
    """
    It stops all that were fused with it, but not the proxy, nor who failed for another reason.
    """
    down = BackendError("down")
    backend = FakeBackend(LISTS, errors={"other": down})

    broken, beside, failed = await observed(
        [hybrid("broken", BrokenFusion()), LIVE, pipeline("failed", other=OTHER)], backend
    )

    assert isinstance(broken.error, ZeroDivisionError)
    assert isinstance(beside.error, ZeroDivisionError)
    assert isinstance(failed.error, NoLegAnswered)


async def test_a_shadow_whose_legs_were_all_slow_timed_out():
    """
    Its error is a timeout, and it took as long as it was waited for.
    """
    slow = replace(OTHER, timeout_ms=20)

    (seen,) = await observed([pipeline("slow", other=slow)], FakeBackend(LISTS, {"other": 5}))

    assert isinstance(seen.error, BackendTimeout)
    assert ("slow", "v-slow") == (seen.pipeline, seen.version)
    assert 0.02 <= seen.seconds < 1


async def test_a_deadline_for_shadows():
    """
    Where one is given it bounds embeddings as well.
    """
    parts = clients(FakeBackend(LISTS), FakeEmbedder(delay=5))

    (seen,) = await run_all(
        [pipeline("dense", dense=DENSE)],
        QUERY,
        Retrieval(QUERY),
        parts,
        primary=PRIMARY,
        deadline=0.02,
    )

    assert isinstance(seen.error, BackendTimeout)


async def test_cancelling_the_shadows_leaves_nothing_behind():
    """
    Legs and reranks stop with whoever runs them.
    """
    backend = FakeBackend(LISTS, delays={"vectors": 5, "other": 5})
    job = asyncio.create_task(observed([RERANKED, pipeline("other", other=OTHER)], backend))
    await asyncio.sleep(0.02)

    job.cancel()

    with pytest.raises(asyncio.CancelledError):
        await job
    assert {asyncio.current_task()} == asyncio.all_tasks()


async def test_no_shadow_is_no_observation():
    """
    Nothing is asked.
    """
    assert [] == await observed([], FakeBackend({}))
