"""The stages of one request."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proxy.calls import Call
from proxy.fusion import RRF
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.model import Query
from proxy.plan import Pipeline
from proxy.request import Request, alike, calls
from proxy.rerankers.embedding import Embedding
from proxy.retrieval import Patience, Retrieval
from tests.fakes import FakeBackend, FakeEmbedder, clients

BM25 = Lexical("main", "bm25", ("text",))
DENSE = Knn("main", "dense", "embedding", "mini")
NEAREST = Embedding("main", "dense", "embedding", "mini", top=50)
QUERY = Query("q", b"q", "faq", "red fox")
MANY = " ".join(f"d{number:03}" for number in range(100))
HYBRID = Pipeline("rrf", "1", (("bm25", BM25), ("dense", DENSE)), RRF())
ALONE = Pipeline("bm25", "1", (("bm25", BM25),))
RERANKED = replace(HYBRID, name="reranked", rerank="nearest")


def request(
    backend: FakeBackend, query: Query = QUERY, embedder: FakeEmbedder | None = None
) -> Request:
    parts = clients(backend, embedder, {"nearest": NEAREST})
    return Request(query, Retrieval(query), parts, BM25, Patience("live"))


async def test_everything_is_asked_for_once():
    """
    A reranker's embedding too, together with the legs.
    """
    backend, embedder = FakeBackend({"bm25": "a", "dense": "b"}), FakeEmbedder()
    of = request(backend, embedder=embedder)

    await of.ask([HYBRID, ALONE, replace(ALONE, rerank="nearest")])

    assert ["bm25", "dense"] == sorted(backend.asked)
    assert ["red fox"] == embedder.texts


@pytest.mark.parametrize(("size", "depth"), [(3, 10), (10, 10), (40, 40)])
async def test_lists_reach_the_querys_depth_or_the_rerankers(size: int, depth: int):
    """
    What will be reranked is as deep as the reranker looks, and is cut afterwards.
    """
    stored = {"d049": (1.0, 0.0)}
    of = request(
        FakeBackend({"bm25": MANY, "dense": MANY}, stored=stored), replace(QUERY, size=size)
    )
    await of.ask([HYBRID, RERANKED, ALONE])

    fused, deep, alone = of.fuse([(each, of.collect(each)) for each in (HYBRID, RERANKED, ALONE)])
    reranked = await of.rerank(RERANKED, deep)

    assert [depth, 50, depth] == [len(each.ranked) for each in (fused, deep, alone)]
    assert (depth, "d049") == (len(reranked.ranked), reranked.ranked.ids[0])


async def test_a_single_leg_is_its_own_list():
    """
    Not fused, with the scores of its engine, and no stage for it.
    """
    of = request(FakeBackend({"bm25": "a b"}))
    await of.ask([ALONE])

    (answer,) = of.fuse([(ALONE, of.collect(ALONE))])

    assert (("a", "b"), (2.0, 1.0)) == (answer.ranked.ids, answer.ranked.scores)
    assert ["leg:bm25"] == [stage for stage, _ in answer.stages]
    assert answer.seconds == dict(answer.stages)["leg:bm25"]


async def test_seconds_are_legs_then_fusion_then_rerank():
    """
    As a live answer would have waited for them, one after the other.
    """
    of = request(FakeBackend({"bm25": "a", "dense": "b"}, delays={"dense": 0.02, "vectors": 0.02}))
    await of.ask([RERANKED])
    candidates = of.collect(RERANKED)

    (answer,) = of.fuse([(RERANKED, candidates)])
    reranked = await of.rerank(RERANKED, answer)

    stages = dict(reranked.stages)
    assert ["embed:mini", "leg:bm25", "leg:dense", "fusion", "rerank"] == list(stages)
    assert answer.seconds == candidates.seconds + stages["fusion"]
    assert reranked.seconds == answer.seconds + stages["rerank"]
    assert stages["rerank"] >= 0.02


async def test_what_has_no_reranker_is_not_reranked():
    """
    The answer stays as it is.
    """
    of = request(FakeBackend({"bm25": "a"}))
    await of.ask([ALONE])
    (answer,) = of.fuse([(ALONE, of.collect(ALONE))])

    assert answer is await of.rerank(ALONE, answer)


def test_pipelines_that_differ_in_fusion_only_are_alike():
    """
    Other legs or another reranker make another group; each keeps its pipelines' order.
    """
    other = replace(HYBRID, name="other", fusion=RRF(1))

    groups = alike([HYBRID, ALONE, RERANKED, other])

    assert [[HYBRID, other], [ALONE], [RERANKED]] == list(groups)


async def test_calls_are_those_that_the_pipeline_needed():
    """
    Its own legs' embedding and its reranker's, whoever asked for it first.
    """
    of = request(FakeBackend({"bm25": "a", "dense": "b"}))
    await of.ask([HYBRID])

    made = Call("embedder", "mini", 1, "ok")
    assert [made] == calls(HYBRID, of.retrieval, of.clients)
    assert [made] == calls(replace(ALONE, rerank="nearest"), of.retrieval, of.clients)
    assert [] == calls(ALONE, of.retrieval, of.clients)
    assert [] == calls(HYBRID, Retrieval(QUERY), of.clients)


def test_nothing_collected_is_nothing_fused():
    """
    When every pipeline failed.
    """
    assert [] == request(FakeBackend({})).fuse([])
