"""One query through every pipeline, side by side."""

from __future__ import annotations

import msgspec
import pytest

from proxy.answer import Degraded
from proxy.errors import BackendError
from proxy.explain import Explanation, Place, explain
from proxy.fusion import RRF
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.model import Query
from proxy.pipeline import run
from proxy.plan import Pipeline
from proxy.rerankers.embedding import Embedding
from proxy.retrieval import Retrieval
from tests.fakes import FakeBackend, clients

BM25 = Lexical("main", "bm25", ("text",))
DENSE = Knn("main", "dense", "embedding", "mini")
NEAREST = Embedding("main", "dense", "embedding", "mini", top=2)
HYBRID = Pipeline("rrf", "1", (("bm25", BM25), ("dense", DENSE)), RRF())
ALONE = Pipeline("alone", "2", (("dense", DENSE),))
RERANKED = Pipeline("reranked", "3", HYBRID.legs, RRF(), "nearest")
QUERY = Query("q", b"q", "faq", "red fox", size=3)
LISTS = {"bm25": "a b c d", "dense": "d e a f"}
STORED = {"d": (1.0, 0.0), "a": (0.0, 1.0)}


async def explained(backend: FakeBackend, query: Query = QUERY) -> Explanation:
    parts = clients(backend, rerankers={"nearest": NEAREST})
    return await explain([HYBRID, ALONE, RERANKED], query, parts, ("bm25", BM25))


async def test_every_hit_has_its_places_in_the_legs():
    """
    Rank and score in each leg of the pipeline that found it.
    """
    explanation = await explained(FakeBackend(LISTS))

    first, second, third = explanation.pipelines["rrf"].hits
    assert ("a", 1, {"bm25": Place(1, 4.0), "dense": Place(3, 2.0)}) == (
        first.id,
        first.rank,
        first.legs,
    )
    assert {"bm25": Place(4, 1.0), "dense": Place(1, 4.0)} == second.legs
    assert ("b", {"bm25": Place(2, 3.0)}) == (third.id, third.legs)
    assert {"dense"} == {leg for hit in explanation.pipelines["alone"].hits for leg in hit.legs}


@pytest.mark.parametrize("pipeline", [HYBRID, ALONE, RERANKED], ids=lambda each: each.name)
@pytest.mark.parametrize("size", [1, 3, 10])
async def test_its_list_is_what_a_user_would_get(pipeline: Pipeline, size: int):
    """
    The same ids and scores as live, to the end of the page.
    """
    query = Query("q", b"q", "faq", "red fox", size=size)
    backend = FakeBackend(LISTS, stored=STORED)
    live = await run(
        pipeline,
        query,
        Retrieval(query),
        clients(backend, rerankers={"nearest": NEAREST}),
        primary=("bm25", BM25),
        deadline=None,
    )

    explanation = await explained(backend, query)

    page = live.ranked.top(size)
    assert list(page.ranks()) == [
        (hit.rank, hit.id, hit.score) for hit in explanation.pipelines[pipeline.name].hits
    ]
    assert live.total == explanation.pipelines[pipeline.name].total


async def test_legs_are_shown_as_deep_as_the_page():
    """
    In name order, with their totals, each run once.
    """
    backend = FakeBackend(LISTS)

    explanation = await explained(backend)

    assert ["bm25", "dense"] == list(explanation.legs)
    assert (("d", "e", "a"), (4.0, 3.0, 2.0)) == (
        explanation.legs["dense"].ids,
        explanation.legs["dense"].scores,
    )
    assert (40, None) == (explanation.legs["dense"].total, explanation.legs["dense"].error)
    assert ["bm25", "dense"] == sorted(backend.asked)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (BackendError("down"), "BackendError: down"),
        (ZeroDivisionError("bug"), "ZeroDivisionError: bug"),
    ],
)
async def test_failures_are_told(error: Exception, said: str):
    """
    For the leg in its words, for the pipelines that had nothing else by name.
    """
    explanation = await explained(FakeBackend(LISTS, errors={"dense": error}))

    leg, alone = explanation.legs["dense"], explanation.pipelines["alone"]
    assert ((), said) == (leg.ids, leg.error)
    assert () == alone.hits
    assert alone.error is not None
    assert ("a", "b", "c") == explanation.legs["bm25"].ids


async def test_a_degraded_pipeline_says_so():
    """
    As its live answer would.
    """
    explanation = await explained(FakeBackend(LISTS, errors={"dense": BackendError("down")}))

    assert (Degraded("leg:dense", "error"),) == explanation.pipelines["rrf"].degraded


async def test_it_can_be_sent():
    """
    Nothing in it is beyond JSON.
    """
    explanation = await explained(FakeBackend(LISTS, stored=STORED))

    sent = msgspec.json.decode(msgspec.json.encode(explanation))

    assert ["d", "a", "b"] == [hit["id"] for hit in sent["pipelines"]["reranked"]["hits"]]
    assert sent["pipelines"]["reranked"]["hits"][2]["score"] is None
    assert sent["pipelines"]["rrf"]["seconds"] > 0
