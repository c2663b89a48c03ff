"""How a cluster is asked: which node, and when once more. Both clients, against real sockets."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import aiohttp
import pytest

from proxy.backends.cluster.breaker import FAILURES
from proxy.backends.cluster.caller import Caller
from proxy.backends.cluster.node import Call
from proxy.backends.registry import BACKENDS
from proxy.clients import ROLES
from proxy.errors import BackendError
from proxy.model import Role
from tests.toxic import Behaviour, cut, half, hang, html, in_turn, reply, toxic

SEARCH = Call("POST", "/faq/_search", b"{}")
DEAD = "http://127.0.0.1:9"


@pytest.fixture(params=["elasticsearch", "opensearch"])
def kind(request: pytest.FixtureRequest) -> str:
    """Whose client it is."""
    name: str = request.param
    return name


@asynccontextmanager
async def calling(kind: str, *hosts: str, role: Role = "live") -> AsyncIterator[Caller]:
    """A caller over nodes of that kind."""
    recipe = BACKENDS[kind](hosts=hosts)
    async with AsyncExitStack() as stack:
        yield Caller(await recipe.opened(role, stack), role)


async def outcomes(caller: Caller, times: int) -> list[str]:
    """What so many calls in a row come to."""
    seen = []
    for _ in range(times):
        try:
            await caller.ask(SEARCH)
            seen.append("answered")
        except BackendError as exc:
            seen.append(exc.reason)
    return seen


async def test_a_good_answer_comes_as_it_is(kind: str) -> None:
    """
    Bytes, decoded by nobody yet.
    """
    async with toxic(reply(b'{"took": 1}')) as server, calling(kind, server.url) as caller:
        assert b'{"took": 1}' == await caller.ask(SEARCH)

    (asked,) = server.asked
    assert ("POST", "/faq/_search", b"{}") == (asked.method, asked.path, asked.body)
    assert "shadowrank-live" == asked.headers["x-opaque-id"]
    assert "identity" == asked.headers["accept-encoding"]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 429, 500])
async def test_what_the_engine_says_is_not_asked_again(kind: str, status: int) -> None:
    """
    One request upstream for each of the proxy's, in a storm of 429 above all.
    """
    error = reply({"error": {"type": "x"}}, status)
    async with toxic(error) as server, calling(kind, server.url) as caller:
        seen = await outcomes(caller, 20)

    assert "answered" not in seen
    assert 20 == server.to("_search")


@pytest.mark.parametrize("behaviour", [hang, half, cut], ids="hang half cut".split())
async def test_what_the_engine_may_have_begun_is_not_asked_again(
    kind: str, behaviour: Behaviour
) -> None:
    """
    No answer, half of one, a new connection that is cut: a second request would be more work.
    """
    async with toxic(behaviour) as server, calling(kind, server.url) as caller:
        with pytest.raises((BackendError, TimeoutError)):
            async with asyncio.timeout(0.1):
                await caller.ask(SEARCH)

    assert 1 == server.to("_search")


async def test_an_idle_connection_that_was_closed_is_nobodys_failure(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    """
    The engine closed it while we wrote; the request goes out again on another, as the log says.
    """
    caplog.set_level("INFO", "proxy")
    async with toxic(in_turn(reply(), cut, reply())) as server, calling(kind, server.url) as caller:
        seen = await outcomes(caller, 2)

    assert (["answered", "answered"], 3) == (seen, server.to("_search"))
    assert [("asked again", "stale")] == [
        (record.message, record.__dict__["why"]) for record in caplog.records
    ]


@pytest.mark.parametrize("behaviour", [html(502), reply({}, 503), reply({}, 504)])
async def test_a_passing_status_is_asked_again_once(kind: str, behaviour: Behaviour) -> None:
    """
    For users only: a shadow adds no work to what is in trouble.
    """
    seen = {}
    for role in ROLES:
        failing = in_turn(behaviour, reply())
        async with toxic(failing) as server, calling(kind, server.url, role=role) as caller:
            seen[role] = (await outcomes(caller, 1), server.to("_search"))

    assert {"live": (["answered"], 2), "shadow": (["error"], 1)} == seen


async def test_a_storm_is_not_doubled(kind: str) -> None:
    """
    Retries are a tenth of requests, and what was saved up for quiet times.
    """
    error = reply({"error": {"type": "no_shard_available_action_exception"}}, 503)
    async with toxic(error) as server, calling(kind, server.url) as caller:
        await outcomes(caller, 200)

    assert 200 < server.to("_search") <= 200 + 20 + 10 + 3 * 5


async def test_a_node_that_is_down_costs_no_search(kind: str) -> None:
    """
    The next node is asked instead, and after a few failures at once.
    """
    async with toxic() as server, calling(kind, DEAD, server.url) as caller:
        seen = await outcomes(caller, 30)

    assert ["answered"] * 30 == seen


HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
NOTHING = b"content-length: 0\r\n\r\n"


@pytest.mark.parametrize(
    "sent",
    [
        b"HTTP/1.1 503 X\r\n" + NOTHING,
        b"HTTP/1.1 200 X\r\n" + NOTHING,
        b"HTTP/1.1 204 X\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 X\r\n" + NOTHING,
        b"HTTP/1.1 299 X\r\n" + NOTHING,
        b"HTTP/1.1 200 X\r\ncontent-length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 X\r\ncontent-type: ;;\r\ncontent-length: 2\r\n\r\n{}",
        b"HTTP/1.1 400 X\r\n" + HEAD.partition(b"\r\n")[2] + b"content-length: 2\r\n\r\n\xff\xfe",
        b"HTTP/1.1 200 X\r\nx: " + b"a" * 20_000 + b"\r\n\r\n",
        HEAD + b"content-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}",
        HEAD + b"content-encoding: br\r\ncontent-length: 2\r\n\r\n{}",
        HEAD + b"transfer-encoding: chunked\r\n\r\nzz\r\n{}",
        HEAD + b"content-length: 2\r\ncontent-length: 3\r\n\r\n{}",
        HEAD + b"content-length: -1\r\n\r\n{}",
        b"HTTP/9.9 200 X\r\n" + NOTHING,
        b"\x00",
    ],
)
async def test_whatever_is_sent_is_an_answer_or_a_failure_of_the_backends(
    kind: str, sent: bytes
) -> None:
    """
    And never an exception that the pipeline takes for a bug of ours.
    """

    async def behaviour(asked: object, writer: asyncio.StreamWriter) -> None:
        writer.write(sent)
        await writer.drain()
        writer.close()

    async with toxic(behaviour) as server, calling(kind, server.url) as caller:
        try:
            told: object = await caller.ask(SEARCH)
        except BackendError as exc:
            told = exc

    assert isinstance(told, bytes | BackendError)


async def test_when_all_are_down_it_fails_at_once_and_recovers_by_itself(kind: str) -> None:
    """
    Nothing is sent but a probe now and then; when it is answered, searches are.
    """
    async with toxic() as first:
        port = int(first.url.rpartition(":")[2])
    async with calling(kind, first.url) as caller:
        down = await outcomes(caller, FAILURES)
        start = time.monotonic()
        fast = await outcomes(caller, 1000)
        spent = time.monotonic() - start
        async with toxic(port=port) as again:
            while "answered" not in await outcomes(caller, 1):
                assert time.monotonic() - start < 5
                await asyncio.sleep(0.05)
            probes = again.to("/")

    assert ["error"] * FAILURES == down
    assert ["error"] * 1000 == fast
    assert spent < 2
    assert 1 == probes


async def test_who_leaves_takes_the_request_along(kind: str) -> None:
    """
    The engine sees the connection close, by which it knows that nobody waits.
    """
    async with toxic(hang) as server, calling(kind, server.url) as caller:
        asking = asyncio.create_task(caller.ask(SEARCH))
        while not server.asked:
            await asyncio.sleep(0.01)
        start = time.monotonic()
        asking.cancel()
        while not server.left:
            assert time.monotonic() - start < 0.5
            await asyncio.sleep(0.005)
        await asyncio.gather(asking, return_exceptions=True)

    assert ["/faq/_search"] == server.left


async def test_a_hundred_at_once_wait_for_the_engine_and_not_for_each_other(kind: str) -> None:
    """
    With the clients' own pools of ten half of them would wait for more than 500 ms. A bare session
    says what the machine takes.
    """
    async with toxic(reply(after=0.1)) as server, aiohttp.ClientSession() as bare:

        async def barely() -> None:
            async with bare.post(f"{server.url}/faq/_search", data=b"{}") as answer:
                await answer.read()

        async with calling(kind, server.url) as caller:
            ours = await median(lambda: caller.ask(SEARCH))
            theirs = await median(barely)

    print(f"{kind}: 100 at once, 100 ms engine: p50 {ours * 1e3:.0f} ms, bare {theirs * 1e3:.0f}")
    assert ours <= 1.5 * theirs + 0.05
    assert 200 == server.made


async def median(ask: Callable[[], Awaitable[object]]) -> float:
    """The seconds that half of a hundred at once take at most, in the best of some rounds: others
    use the machine as well.
    """

    async def one() -> float:
        start = time.monotonic()
        await ask()
        return time.monotonic() - start

    rounds = [sorted(await asyncio.gather(*(one() for _ in range(100)))) for _ in range(4)]
    return min(taken[50] for taken in rounds)
