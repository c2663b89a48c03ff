"""The open cluster: budgets, what is told of failures, what is partial."""

from __future__ import annotations

import json
import time
from contextlib import AbstractAsyncContextManager

import pytest

from proxy.backends import Question, Wanted
from proxy.backends.cluster.cluster import Cluster
from proxy.backends.opensearch import OpenSearch
from proxy.errors import BackendError, BackendRefused, BackendTimeout
from proxy.legs.lexical import Lexical
from proxy.legs.template import Template
from tests.toxic import NO_HITS, Behaviour, Toxic, hang, reply, toxic

LEG = Lexical("main", "faq", ("title",), timeout_ms=300)
HIT = {"_index": "faq", "_id": "a", "_score": 1.5}


def opened(server: Toxic) -> AbstractAsyncContextManager[Cluster]:
    """The backend that is this server."""
    return OpenSearch(hosts=(server.url,)).open("main", "live")


def hits(**more: object) -> Behaviour:
    """A search that found one document."""
    return reply({**NO_HITS, "hits": {"total": None, "hits": [HIT]}, **more})


async def test_a_search_is_told_how_long_it_may_take() -> None:
    """
    A little less than the leg's budget, so that what there is by then comes in time.
    """
    async with toxic(hits()) as server, opened(server) as backend:
        found = await backend.search(LEG, Question("red"))
        await backend.count(LEG, Question("red"))

    sent = [json.loads(asked.body) for asked in server.asked if asked.body]
    assert ("a",) == found.ranked.ids
    assert ["270ms", "270ms"] == [body["timeout"] for body in sent]
    assert [100, 0] == [body["size"] for body in sent]


async def test_a_search_ends_with_its_budget() -> None:
    """
    Whatever the engine does; the connection is closed, so that it stops.
    """
    async with toxic(hang) as server, opened(server) as backend:
        start = time.monotonic()
        with pytest.raises(BackendTimeout, match="no answer in 300 ms"):
            await backend.search(LEG, Question("red"))
        taken = time.monotonic() - start

    assert 0.25 < taken < 1
    assert ["/faq/_search"] == [path.partition("?")[0] for path in server.left]


@pytest.mark.parametrize(
    ("behaviour", "partial"),
    [
        (hits(), False),
        (hits(timed_out=True), True),
        (hits(_shards={"total": 2, "successful": 1, "failed": 1}), True),
    ],
)
async def test_a_good_status_may_be_half_the_truth(behaviour: Behaviour, partial: bool) -> None:
    """
    Shards that failed, or a search that ran out of time, come as 200.
    """
    async with toxic(behaviour) as server, opened(server) as backend:
        found = await backend.search(LEG, Question("red"))

    assert partial == found.partial


@pytest.mark.parametrize(
    "behaviour", [reply({}), reply([]), reply(b"{"), reply(b"")], ids="empty list half none".split()
)
async def test_an_answer_of_another_shape_is_the_engines_failure(behaviour: Behaviour) -> None:
    """
    It costs its leg.
    """
    async with toxic(behaviour) as server, opened(server) as backend:
        with pytest.raises(BackendError):
            await backend.search(LEG, Question("red"))


async def test_documents_have_a_budget_of_their_own() -> None:
    """
    No leg's: they are fetched after the legs.
    """
    async with toxic(paths={"/_mget": hang}) as server:
        recipe = OpenSearch(hosts=(server.url,), fetch_timeout_ms=100)
        async with recipe.open("main", "live") as backend:
            for asking in (
                backend.fetch("faq", ["a"], Wanted()),
                backend.vectors("faq", "v", ["a"]),
            ):
                with pytest.raises(BackendTimeout, match="100 ms"):
                    await asking


async def test_nothing_is_asked_for_nothing() -> None:
    """
    No ids, no request.
    """
    async with toxic() as server, opened(server) as backend:
        held = await backend.fetch("faq", [], Wanted())
        vectors = await backend.vectors("faq", "v", [])

    assert ({}, {}, []) == (held, vectors, server.asked)


async def test_no_text_of_a_query_gets_into_an_error() -> None:
    """
    Errors are logged: neither what can't be sent nor what the engine repeats is in them.
    """
    reason = {"error": {"type": "x_content_parse_exception", "reason": "near [secret]"}}
    leg = Template("main", "faq", '{"match": {"title": "{{query}}"}}')
    said = []
    async with toxic(reply(reason, 400)) as server, opened(server) as backend:
        for text in ("secret \ud800", "secret"):
            for each in (leg, LEG):
                with pytest.raises(BackendRefused) as caught:
                    await backend.search(each, Question(text))
                said.append(repr(caught.value) + repr(caught.value.__cause__))

    assert "secret" not in " ".join(said)


async def test_live_and_shadow_share_no_connection() -> None:
    """
    Nor what they think of a node, so that no shadow can take a user's.
    """
    async with toxic(hits()) as server:
        recipe = OpenSearch(hosts=(server.url,), pool=1)
        async with recipe.open("main", "live") as live, recipe.open("main", "shadow") as shadow:
            for backend in (live, shadow, live, shadow):
                await backend.search(LEG, Question("red"))
        roles = {asked.headers["x-opaque-id"] for asked in server.asked}

    assert (2, {"shadowrank-live", "shadowrank-shadow"}) == (server.made, roles)
