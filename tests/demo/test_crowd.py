"""The users over HTTP, against a small proxy that remembers what it was sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer

from demo.collection import Claim
from demo.crowd import Crowd

CLAIMS = (Claim("1", "one", (1.0, 0.0), frozenset({"a"})),)


@dataclass
class FakeProxy:
    """Answers every search with one page; refuses what it is told to."""

    status: int = 200
    refusal: str | None = None
    searches: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)

    async def search(self, request: web.Request) -> web.Response:
        self.searches.append(await request.json())
        hits = [{"id": "a"}, {"id": "b"}]
        page = {"query_id": f"q{len(self.searches)}", "hits": hits}
        return web.json_response(page, status=self.status)

    async def event(self, request: web.Request) -> web.Response:
        self.events.append(await request.json())
        refused = [] if self.refusal is None else [{"index": 0, "reason": self.refusal}]
        return web.json_response({"accepted": 1 - len(refused), "refused": refused}, status=202)


@pytest.fixture
def proxy() -> FakeProxy:
    return FakeProxy()


@pytest.fixture
async def crowd(proxy: FakeProxy) -> AsyncIterator[Crowd]:
    app = web.Application()
    app.router.add_post("/v1/r/search", proxy.search)
    app.router.add_post("/v1/events", proxy.event)
    async with TestServer(app) as server, ClientSession() as http:
        yield Crowd(http, str(server.make_url("")).rstrip("/"), "r", CLAIMS, seed=1)


async def test_users_search_click_and_leave(proxy: FakeProxy, crowd: Crowd):
    """
    Each click is followed by what tells its dwell, on the page that was served.
    """
    await crowd.come(rate=100, seconds=0.3)

    assert {"one"} == {body["query"] for body in proxy.searches}
    kinds = [event["type"] for event in proxy.events]
    assert kinds.count("click") == kinds.count("hide") + kinds.count("beat") > 5
    for event in proxy.events:
        assert (event["doc_id"], event["position"]) in {("a", 1), ("b", 2)}
        assert ("dwell_ms" in event) is (event["type"] != "click")
    ids = [event["event_id"] for event in proxy.events]
    assert len(ids) == len(set(ids))


async def test_everything_is_counted(proxy: FakeProxy, crowd: Crowd):
    """
    What was sent equals what arrived.
    """
    await crowd.come(rate=100, seconds=0.2)

    tally = crowd.tally
    assert len(proxy.searches) == tally.searches > 5
    assert len(proxy.events) == tally.events == tally.accepted
    assert 0 == tally.errors == tally.refused.total()


async def test_a_refused_event_is_counted_by_its_reason(proxy: FakeProxy, crowd: Crowd):
    """
    Accepted and refused add up to what was sent.
    """
    proxy.refusal = "clock"

    await crowd.come(rate=100, seconds=0.2)

    assert {"clock": crowd.tally.events} == crowd.tally.refused
    assert 0 == crowd.tally.accepted


async def test_an_error_is_counted_and_nobody_clicks_it(proxy: FakeProxy, crowd: Crowd):
    """
    A page that didn't come has nothing to click.
    """
    proxy.status = 503

    await crowd.come(rate=100, seconds=0.2)

    assert crowd.tally.searches == crowd.tally.errors > 5
    assert [] == proxy.events


async def test_a_proxy_that_is_gone_is_an_error_like_another(crowd: Crowd):
    """
    Users don't crash.
    """
    gone = Crowd(crowd.http, "http://127.0.0.1:9", "r", CLAIMS, seed=1)

    await gone.come(rate=100, seconds=0.1)

    assert gone.tally.searches == gone.tally.errors > 0


async def test_vectors_are_sent_only_when_they_are_needed(proxy: FakeProxy, crowd: Crowd):
    """
    With a model, the proxy makes its own.
    """
    await crowd.come(rate=100, seconds=0.1)
    assert not any("vector" in body for body in proxy.searches)

    proxy.searches.clear()
    bringing = Crowd(crowd.http, crowd.url, "r", CLAIMS, seed=1, with_vectors=True)
    await bringing.come(rate=100, seconds=0.1)

    assert all(body["vector"] == [1.0, 0.0] for body in proxy.searches)
    assert proxy.searches


async def test_users_come_at_their_rate_whether_or_not_others_are_done(crowd: Crowd):
    """
    A dwell of more than a second holds nobody up.
    """
    clock = asyncio.get_running_loop().time
    start = clock()

    await crowd.come(rate=200, seconds=0.5)

    assert crowd.tally.searches > 60
    assert clock() - start < 6
