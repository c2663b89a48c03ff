"""One request's memo: what is asked, how often, how long, and what becomes of failures."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from proxy.backends import Found, Question
from proxy.calls import Call
from proxy.errors import BackendError, BackendRefused, BackendTimeout, NotAsked
from proxy.legs import Leg
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.model import Query, RankedList, Terms
from proxy.retrieval import Patience, Retrieval, timed
from tests.fakes import FakeBackend, FakeEmbedder
from tests.fakes import clients as clients_of

BM25 = Lexical("main", "bm25", ("text",))
DENSE = Knn("main", "dense", "embedding", "mini")
OTHER = Knn("main", "other", "embedding", "mini")
BARE = Knn("main", "dense", "embedding")
QUERY = Query("q", b"q", "faq", "red fox", filters=(Terms("course", ("de",)),))
LIVE = Patience("live")
SHADOW = Patience("shadow")
VECTOR = replace(QUERY, vector=(0.5, 0.25))
LISTS = {"bm25": "a b", "dense": "b c", "other": "d"}


@dataclass
class Counted(FakeBackend):
    """A backend that notes what it counts."""

    counted: list[str] = field(default_factory=list)

    async def count(self, leg: Leg, question: Question) -> Found:
        self.counted.append(leg.index)
        return await super().count(leg, question)


class Mindful(FakeEmbedder):
    """An embedder that has every vector already."""

    def remembers(self, text: str) -> bool:
        return True


async def test_one_embedding_per_embedder_and_one_run_per_equal_leg():
    """
    Two legs share an embedder's vector, and equal legs of different names share a run.
    """
    backend, embedder = FakeBackend(LISTS), FakeEmbedder()
    retrieval, clients = Retrieval(QUERY), clients_of(backend, embedder)
    legs = [("a", DENSE), ("b", OTHER), ("c", replace(DENSE))]

    await retrieval.ask(legs, ["mini"], clients, LIVE)

    assert ["red fox"] == embedder.texts
    assert ["dense", "other"] == sorted(backend.asked)
    assert retrieval.leg(DENSE) is retrieval.leg(replace(DENSE))
    assert [(1.0, 0.0)] * 2 == [tuple(asked.vector) for asked in backend.questions]
    assert {QUERY.filters} == {asked.filters for asked in backend.questions}


async def test_askers_at_the_same_time_share_what_is_under_way():
    """
    Two pipelines that ask together run nothing twice.
    """
    backend, embedder = FakeBackend(LISTS, delays={"bm25": 0.02}), FakeEmbedder(delay=0.02)
    retrieval, clients = Retrieval(QUERY), clients_of(backend, embedder)

    await asyncio.gather(
        retrieval.ask([("bm25", BM25), ("dense", DENSE)], (), clients, LIVE),
        retrieval.ask([("bm25", BM25), ("other", OTHER)], ["mini"], clients, SHADOW),
    )

    assert ["bm25", "dense", "other"] == sorted(backend.asked)
    assert ["red fox"] == embedder.texts


async def test_a_shadow_gets_the_outcome_and_the_timing_that_live_got():
    """
    A leg that live ran isn't asked again, and keeps its seconds and its role.
    """
    backend = FakeBackend(LISTS, delays={"bm25": 0.02})
    retrieval, clients = Retrieval(QUERY), clients_of(backend)
    await retrieval.ask([("bm25", BM25)], (), clients, LIVE)
    live = retrieval.leg(BM25)

    await retrieval.ask([("bm25", BM25), ("other", OTHER)], (), clients, SHADOW)

    assert live is retrieval.leg(BM25)
    assert live.seconds >= 0.02
    assert ("live", "shadow") == (live.role, retrieval.leg(OTHER).role)
    assert [("bm25", "live"), ("other", "shadow")] == list(retrieval.executed)


async def test_legs_run_at_the_same_time():
    """
    Three legs take as long as the slowest.
    """
    backend = FakeBackend(LISTS, delays=dict.fromkeys(LISTS, 0.1))
    retrieval, clients = Retrieval(QUERY), clients_of(backend)
    start = asyncio.get_running_loop().time()

    legs = [("bm25", BM25), ("dense", DENSE), ("other", OTHER)]
    await retrieval.ask(legs, (), clients, LIVE)

    assert asyncio.get_running_loop().time() - start < 0.25


async def test_a_leg_that_overruns_its_budget_is_cut_off():
    """
    The outcome is a timeout, the search is cancelled, and the others are unharmed.
    """
    backend = FakeBackend(LISTS, delays={"dense": 5})
    retrieval, clients = Retrieval(QUERY), clients_of(backend)
    slow = replace(DENSE, timeout_ms=20)

    await retrieval.ask([("bm25", BM25), ("dense", slow)], (), clients, LIVE)

    assert isinstance(retrieval.leg(slow).outcome, BackendTimeout)
    assert 0.02 <= retrieval.leg(slow).seconds < 1
    assert ["dense"] == backend.cancelled
    assert isinstance(retrieval.leg(BM25).outcome, Found)


async def test_an_embedding_does_not_use_up_its_legs_budget():
    """
    A knn leg's budget starts when its vector is there.
    """
    backend, embedder = FakeBackend(LISTS, delays={"dense": 0.01}), FakeEmbedder(delay=0.08)
    retrieval, clients = Retrieval(QUERY), clients_of(backend, embedder)
    tight = replace(DENSE, timeout_ms=60)

    await retrieval.ask([("dense", tight)], (), clients, LIVE)

    run, made = retrieval.leg(tight), retrieval.embedding("mini")
    assert isinstance(run.outcome, Found)
    assert made is not None
    assert made.seconds >= 0.08 > 0.06 > run.seconds


async def test_the_deadline_ends_legs_and_embeddings():
    """
    Whatever its budget, nothing goes on beyond the deadline.
    """
    backend, embedder = FakeBackend(LISTS, delays={"bm25": 5}), FakeEmbedder(delay=5)
    retrieval, clients = Retrieval(QUERY), clients_of(backend, embedder)
    legs = [("bm25", replace(BM25, timeout_ms=9000)), ("dense", DENSE)]

    await retrieval.ask(legs, (), clients, Patience.of("live", 0.03))

    reasons = [retrieval.leg(leg).outcome.reason for _, leg in legs]
    assert ["timeout", "timeout"] == reasons
    assert isinstance(retrieval.vector("mini"), BackendTimeout)
    assert [("bm25", "live")] == list(retrieval.executed)


@pytest.mark.parametrize("error", [BackendError("down"), BackendRefused("no such field")])
async def test_a_backends_failure_is_a_value(error: BackendError):
    """
    It is the leg's outcome, and the embedder's likewise.
    """
    backend, embedder = FakeBackend(LISTS, errors={"bm25": error}), FakeEmbedder(error=error)
    retrieval, clients = Retrieval(QUERY), clients_of(backend, embedder)

    await retrieval.ask([("bm25", BM25), ("dense", DENSE)], (), clients, LIVE)

    assert error is retrieval.leg(BM25).outcome
    assert error is retrieval.leg(DENSE).outcome
    assert ["bm25"] == backend.asked


async def test_anything_else_a_backend_raises_is_a_bug():
    """
    It is raised to whoever reads the leg, and only to them.
    """
    bug = ZeroDivisionError("bug")
    backend = FakeBackend(LISTS, errors={"bm25": bug})
    retrieval, clients = Retrieval(QUERY), clients_of(backend)

    await retrieval.ask([("bm25", BM25), ("dense", DENSE)], (), clients, LIVE)

    assert bug is retrieval.bug(BM25)
    assert retrieval.bug(DENSE) is None
    assert isinstance(retrieval.leg(DENSE).outcome, Found)
    with pytest.raises(ZeroDivisionError):
        retrieval.leg(BM25)


async def test_a_timeout_that_we_did_not_set_is_a_bug():
    """
    A backend's own TimeoutError isn't taken for an overrun budget.
    """
    backend = FakeBackend(LISTS, errors={"bm25": TimeoutError("mine")})
    retrieval, clients = Retrieval(QUERY), clients_of(backend)

    await retrieval.ask([("bm25", BM25)], (), clients, LIVE)

    with pytest.raises(TimeoutError, match="mine"):
        retrieval.leg(BM25)


async def test_when_the_client_leaves_its_searches_are_cancelled():
    """
    Nothing of a cancelled request goes on, and what it didn't finish can be asked again.
    """
    backend = FakeBackend(LISTS, delays={"bm25": 5, "dense": 5})
    retrieval, clients = Retrieval(QUERY), clients_of(backend)
    legs = [("bm25", BM25), ("dense", DENSE)]
    live = asyncio.create_task(retrieval.ask(legs, (), clients, LIVE))
    await asyncio.sleep(0.02)

    live.cancel()
    with pytest.raises(asyncio.CancelledError):
        await live

    assert ["bm25", "dense"] == sorted(backend.cancelled)
    assert {asyncio.current_task()} == asyncio.all_tasks()
    backend.delays = {}
    await retrieval.ask([("bm25", BM25)], (), clients, LIVE)
    assert isinstance(retrieval.leg(BM25).outcome, Found)


async def test_without_text_bm25_finds_nothing_and_knn_is_not_asked():
    """
    White space alone is no text; no engine and no model is bothered with it.
    """
    backend, embedder = FakeBackend(LISTS), FakeEmbedder()
    retrieval = Retrieval(replace(QUERY, text=" \n"))

    legs = [("bm25", BM25), ("dense", DENSE)]
    await retrieval.ask(legs, ["mini"], clients_of(backend, embedder), LIVE)

    found, failure = retrieval.leg(BM25).outcome, retrieval.leg(DENSE).outcome
    assert isinstance(found, Found)
    assert (0, 0) == (len(found.ranked), found.total)
    assert isinstance(failure, NotAsked)
    assert "empty_query" == failure.reason
    assert ([], []) == (backend.asked, embedder.texts)
    assert retrieval.embedding("mini") is None


async def test_a_vector_in_the_request_makes_embedding_unnecessary():
    """
    It feeds every knn leg, with text or without.
    """
    backend, embedder = FakeBackend(LISTS), FakeEmbedder()
    retrieval = Retrieval(replace(QUERY, text="", vector=(0.5, 0.25)))

    legs = [("dense", DENSE), ("bare", BARE)]
    await retrieval.ask(legs, ["mini"], clients_of(backend, embedder), LIVE)

    assert [] == embedder.texts
    assert [(0.5, 0.25)] * 2 == [tuple(asked.vector) for asked in backend.questions]
    assert np.float32 == backend.questions[0].vector.dtype


async def test_a_knn_leg_without_embedder_needs_the_requests_vector():
    """
    Its failure says so.
    """
    retrieval = Retrieval(QUERY)

    await retrieval.ask([("bare", BARE)], (), clients_of(FakeBackend(LISTS)), LIVE)

    assert "no_vector" == retrieval.leg(BARE).outcome.reason


async def test_a_leg_can_be_counted_alone():
    """
    What the primary leg counts, by the engine's count and no search, once.
    """
    backend, embedder = Counted(LISTS), FakeEmbedder()
    retrieval, clients = Retrieval(QUERY, DENSE), clients_of(backend, embedder)

    await retrieval.ask([("bm25", BM25)], (), clients, LIVE, [DENSE])
    await retrieval.ask((), (), clients, LIVE, [DENSE])

    assert ["dense"] == backend.counted
    assert Found(RankedList(), 20) == retrieval.count(DENSE).outcome
    asked = {each.counting for each in backend.questions if each.vector is not None}
    assert ({QUERY.counting}, ["red fox"]) == (asked, embedder.texts)
    assert [("bm25", "live")] == list(retrieval.executed)


async def test_counting_has_the_legs_budget_and_failures():
    """
    Beside other legs, which are unharmed; without text there is nothing to count.
    """
    backend = Counted(LISTS, delays={"bm25": 5})
    slow, clients = replace(BM25, timeout_ms=20), clients_of(backend)
    late, empty = Retrieval(QUERY, slow), Retrieval(replace(QUERY, text=""), slow)

    await late.ask([("dense", DENSE)], (), clients, LIVE, [slow])
    await empty.ask((), (), clients, LIVE, [slow])

    assert isinstance(late.count(slow).outcome, BackendTimeout)
    assert isinstance(late.leg(DENSE).outcome, Found)
    assert Found(RankedList(), 0) == empty.count(slow).outcome


async def test_an_embedding_is_a_call_of_its_model():
    """
    One, whoever asks for the vector; a failed one, too. A given vector is none.
    """
    made, failed, given = Retrieval(QUERY), Retrieval(QUERY), Retrieval(VECTOR)
    legs = [("dense", DENSE), ("other", OTHER)]

    await made.ask(legs, ["mini"], clients_of(FakeBackend(LISTS)), LIVE)
    broken = clients_of(FakeBackend(LISTS), FakeEmbedder(error=BackendRefused("no")))
    await failed.ask(legs, ["mini"], broken, LIVE)
    await given.ask(legs, ["mini"], broken, LIVE)

    assert [Call("embedder", "mini", 1, "ok")] == made.calls.needed_by("p", ["mini"])
    assert [Call("embedder", "mini", 1, "refused")] == failed.calls.needed_by("p", ["mini"])
    assert 0 == len(given.calls)


async def test_what_an_embedder_remembers_is_no_call():
    """
    It says so before it is asked.
    """
    retrieval = Retrieval(QUERY)

    await retrieval.ask((), ["mini"], clients_of(FakeBackend({}), Mindful()), LIVE)

    assert [1.0, 0.0] == retrieval.vector("mini").tolist()
    assert 0 == len(retrieval.calls)


async def test_an_embedding_that_is_given_up_was_a_call():
    """
    By the deadline, or by a client that leaves.
    """
    late, left = Retrieval(QUERY), Retrieval(QUERY)
    slow = clients_of(FakeBackend({}), FakeEmbedder(delay=5))

    await late.ask((), ["mini"], slow, Patience.of("live", 0.01))
    leaving = asyncio.create_task(left.ask((), ["mini"], slow, LIVE))
    await asyncio.sleep(0.01)
    leaving.cancel()
    await asyncio.wait([leaving])

    ended = [each.calls.needed_by("p", ["mini"])[0].outcome for each in (late, left)]
    assert ["timeout", "cancelled"] == ended


async def test_one_table_for_all():
    """
    Later legs join what earlier ones made; failed ones have no place in it.
    """
    backend = FakeBackend(LISTS, errors={"bm25": BackendError("down")})
    retrieval, clients = Retrieval(QUERY), clients_of(backend)
    legs = [("bm25", BM25), ("dense", DENSE), ("other", OTHER)]
    await retrieval.ask(legs, (), clients, LIVE)

    first = retrieval.table(legs[:2])
    again = retrieval.table(legs[:2])
    more = retrieval.table(legs)

    assert first is again
    assert {"dense"} == first.lists.keys()
    assert {"dense", "other"} == more.lists.keys()


async def test_without_a_limit_work_is_only_timed():
    """
    `timed` says how long it took and who asked.
    """

    async def work() -> int:
        await asyncio.sleep(0.01)
        return 7

    run = await timed(work(), None, "shadow")

    assert (7, "shadow") == (run.outcome, run.role)
    assert run.seconds >= 0.01
