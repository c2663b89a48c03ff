"""What the legs of a pipeline came to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan

import pytest

from proxy.answer import Degraded
from proxy.backends import Found, Question
from proxy.candidates import Candidates, collect, embedders, meant_for
from proxy.errors import BackendError, BackendRefused, BackendTimeout, BadRequest, NoLegAnswered
from proxy.fusion import RRF, Fusion, Weighted
from proxy.legs import Leg
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.model import Query, RankedList
from proxy.plan import Pipeline
from proxy.retrieval import Patience, Retrieval
from tests.fakes import FakeBackend, FakeEmbedder, clients

BM25 = Lexical("main", "bm25", ("text",), timeout_ms=50)
DENSE = Knn("main", "dense", "embedding", "mini", timeout_ms=50)
QUERY = Query("q", b"q", "faq", "red fox")
LISTS = {"bm25": "a b", "dense": "b c"}


@dataclass
class FakePartial(FakeBackend):
    """A backend that answers one index with a part of it."""

    partial: str = ""

    async def search(self, leg: Leg, question: Question) -> Found:
        return replace(await super().search(leg, question), partial=leg.index == self.partial)


def pipeline(fusion: Fusion | None = None, **legs: Leg) -> Pipeline:
    return Pipeline("p", "1", tuple(sorted(legs.items())), fusion or RRF())


HYBRID = pipeline(bm25=BM25, dense=DENSE)


async def collected(
    which: Pipeline,
    backend: FakeBackend,
    embedder: FakeEmbedder | None = None,
    query: Query = QUERY,
    primary: Leg = BM25,
) -> Candidates:
    retrieval, needed = Retrieval(query), embedders(which, None)
    await retrieval.ask(which.legs, needed, clients(backend, embedder), Patience("live"))
    common = collect(which, retrieval, needed, primary)
    return meant_for(common, which.fusion, retrieval.table(()))


def test_the_embedders_of_legs_and_reranker():
    """
    Each once, in name order.
    """
    legs = {"bm25": BM25, "dense": DENSE, "again": replace(DENSE, window=5)}

    assert ("large", "mini") == embedders(pipeline(**legs), "large")
    assert ("mini",) == embedders(pipeline(**legs), "mini")
    assert () == embedders(pipeline(bm25=BM25), None)


async def test_the_slowest_leg_counts_with_the_embedding_it_waits_for():
    """
    What live would have waited: not the sum of everything.
    """
    backend = FakeBackend(LISTS, delays={"bm25": 0.04, "dense": 0.03})

    found = await collected(HYBRID, backend, FakeEmbedder(delay=0.03))

    stages = dict(found.stages)
    assert ["embed:mini", "leg:bm25", "leg:dense"] == list(stages)
    assert found.seconds == stages["embed:mini"] + stages["leg:dense"]
    assert found.seconds >= 0.06


async def test_the_total_is_the_primary_legs():
    """
    Whatever the others count.
    """
    backend = FakeBackend(LISTS | {"dense": "x"})
    lexical = (await collected(HYBRID, backend)).counted
    dense = (await collected(HYBRID, backend, primary=DENSE)).counted

    assert (20, 10) == (lexical and lexical.total, dense and dense.total)


@pytest.mark.parametrize("error", [BackendError("down"), None])
async def test_there_is_no_total_without_the_primary_leg(error: BackendError | None):
    """
    It failed, or the pipeline doesn't have it; no leg is run for the total alone.
    """
    which = HYBRID if error else pipeline(dense=DENSE)
    backend = FakeBackend(LISTS, errors={"bm25": error} if error else {})

    assert (await collected(which, backend)).counted is None


async def test_failed_stages_are_named():
    """
    A leg that waited for a failed embedding is named beside it.
    """
    backend = FakeBackend(LISTS)

    found = await collected(HYBRID, backend, FakeEmbedder(error=BackendRefused("no")))

    assert (Degraded("embed:mini", "refused"), Degraded("leg:dense", "refused")) == found.degraded
    assert ("bm25",) == found.legs


async def test_a_leg_with_bad_scores_is_named():
    """
    Its other hits are used; a negative score is bad for l2 alone.
    """
    lists = {
        "bm25": RankedList(("a", "b"), (nan, 1.0)),
        "dense": RankedList(("b", "c"), (0.5, -0.5)),
    }

    plain = await collected(HYBRID, FakeBackend(lists))
    l2 = await collected(pipeline(Weighted("l2"), bm25=BM25, dense=DENSE), FakeBackend(lists))

    bm25, dense = Degraded("leg:bm25", "bad_score"), Degraded("leg:dense", "bad_score")
    assert (bm25,) == plain.degraded
    assert (bm25, dense) == l2.degraded
    assert ("bm25", "dense") == plain.legs


async def test_a_partial_leg_is_used_and_named():
    """
    What the engine did find is fused; that it isn't all is said.
    """
    backend = FakePartial(LISTS, partial="dense")

    found = await collected(HYBRID, backend)

    assert (Degraded("leg:dense", "partial"),) == found.degraded
    assert ("bm25", "dense") == found.legs


async def test_no_leg_answered():
    """
    The message names each leg and its reason; what wasn't just slow is the cause.
    """
    down = BackendError("down")
    backend = FakeBackend(LISTS, delays={"bm25": 5}, errors={"dense": down})

    with pytest.raises(NoLegAnswered, match=r"p: no leg answered: bm25 \(timeout\), dense") as info:
        await collected(HYBRID, backend)

    assert down is info.value.__cause__


async def test_all_legs_were_just_slow():
    """
    Then the cause is a timeout.
    """
    backend = FakeBackend(LISTS, delays={"bm25": 5, "dense": 5})

    with pytest.raises(NoLegAnswered) as info:
        await collected(HYBRID, backend)

    assert isinstance(info.value.__cause__, BackendTimeout)


async def test_a_request_that_no_leg_can_be_asked_with_is_bad():
    """
    An empty text for a pipeline that needs one is the caller's fault, not the engine's.
    """
    with pytest.raises(BadRequest, match="no text"):
        await collected(pipeline(dense=DENSE), FakeBackend(LISTS), query=replace(QUERY, text=" "))


async def test_an_empty_text_leaves_what_bm25_finds():
    """
    Which is nothing, and no error: the knn leg is degraded.
    """
    found = await collected(HYBRID, FakeBackend(LISTS), query=replace(QUERY, text=""))

    assert (("bm25",), Found(RankedList(), 0)) == (found.legs, found.counted)
    assert (Degraded("leg:dense", "empty_query"),) == found.degraded


async def test_a_bug_is_raised():
    """
    Whatever the other legs found.
    """
    with pytest.raises(KeyError):
        await collected(HYBRID, FakeBackend({"bm25": "a"}))


async def test_own_legs_are_those_that_a_shadow_had_to_run():
    """
    What live ran is shared.
    """
    retrieval, parts = Retrieval(QUERY), clients(FakeBackend(LISTS))
    await retrieval.ask([("bm25", BM25)], (), parts, Patience("live"))
    await retrieval.ask(HYBRID.legs, ["mini"], parts, Patience("shadow"))

    found = collect(HYBRID, retrieval, ["mini"], BM25)

    assert ("dense",) == found.own_legs
