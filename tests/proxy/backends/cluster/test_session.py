"""The session beneath the clients, against servers that misbehave."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from proxy.backends.cluster.session import LARGEST, Reply, Session
from proxy.backends.cluster.trouble import Kind, Trouble
from tests.toxic import Behaviour, cut, endless, garbage, half, html, in_turn, reply, toxic


@asynccontextmanager
async def session(url: str, limit: int = 2) -> AsyncIterator[Session]:
    """A session for the node there."""
    made = Session(url, limit, 1.0, None)
    try:
        yield made
    finally:
        await made.close()


async def asked(behaviour: Behaviour, times: int = 1) -> Reply:
    """What a POST to such a server brings, the last of several over one session."""
    async with toxic(behaviour) as server, session(server.url) as made:
        for _ in range(times):
            told = await made.send("POST", "/faq/_search", b"{}", {})
    return told


async def test_a_good_answer() -> None:
    """
    Its body as it came, and what the clients look at.
    """
    told = await asked(reply({"a": 1}, 201))

    assert Reply(201, "Elasticsearch", b'{"a": 1}') == told


@pytest.mark.parametrize(
    ("behaviour", "kind", "status"),
    [
        (reply(status=302, headers={"location": "http://127.0.0.1:9/"}), Kind.REDIRECT, None),
        (html(), Kind.NO_JSON, 200),
        (html(502), Kind.NO_JSON, 502),
        (reply({"error": {"type": "x"}}, 429), Kind.STATUS, 429),
        (reply(headers={"content-length": str(LARGEST + 1)}), Kind.TOO_LARGE, None),
        (endless(LARGEST + (2 << 20)), Kind.TOO_LARGE, None),
        (half, Kind.HALF, None),
        (cut, Kind.BROKEN, None),
        (garbage, Kind.NO_HTTP, None),
    ],
    ids="redirect html html-502 429 declared-large large half cut garbage".split(),
)
async def test_what_is_no_good_answer_is_told_apart(
    behaviour: Behaviour, kind: Kind, status: int | None
) -> None:
    """
    None of them is followed, held in memory, or taken for an engine's answer.
    """
    with pytest.raises(Trouble) as caught:
        await asked(behaviour)

    assert (kind, status) == (caught.value.kind, caught.value.status)


async def test_a_reused_connection_that_dies_is_known_as_such() -> None:
    """
    Nothing of an answer had arrived: the engine closed it while we wrote.
    """
    with pytest.raises(Trouble) as caught:
        await asked(in_turn(reply(), cut), 2)

    assert Kind.STALE is caught.value.kind


async def test_a_reused_connection_that_dies_amid_an_answer_is_not() -> None:
    """
    The engine has worked on it.
    """

    async def headless(asked: object, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: appl")
        await writer.drain()
        writer.close()

    with pytest.raises(Trouble) as caught:
        await asked(in_turn(reply(), headless), 2)

    assert Kind.BROKEN is caught.value.kind


@pytest.mark.parametrize("pool", [3, 150])
async def test_the_pool_is_as_large_as_it_says(pool: int) -> None:
    """
    Seen from the other end: so many connections at once, and they are kept.
    """
    async with toxic(reply(after=0.2)) as server, session(server.url, pool) as made:
        for _ in range(2):
            many = (made.send("POST", "/faq/_search", b"{}", {}) for _ in range(pool + 10))
            await asyncio.gather(*many)

    assert (pool, pool) == (server.most, server.made)


async def test_a_request_goes_out_as_it_was_written() -> None:
    """
    What is quoted stays quoted; answers are asked for as they are, since unpacking costs more.
    """
    target = "/a%2Fb,c*%20d/_doc/x%3Fy?z=%25"
    async with toxic() as server, session(server.url) as made:
        await made.send("GET", target, None, {"x-a": "b"})

    (seen,) = server.asked
    assert ("GET", target, b"") == (seen.method, seen.path, seen.body)
    assert ("identity", "b") == (seen.headers["accept-encoding"], seen.headers["x-a"])


async def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    What the process's environment says of the way out is no way to a cluster.
    """
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")

    assert b"{}" == (await asked(reply({}))).body


async def test_no_connection_in_time_is_given_up() -> None:
    """
    A host that is gone answers nothing; nobody waits for the system's minutes.
    """
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for filling in (first, second):
            filling.setblocking(False)
            filling.connect_ex(full.getsockname())
        host, port = full.getsockname()
        start = time.monotonic()

        async with session(f"http://{host}:{port}") as made:
            with pytest.raises(Trouble) as caught:
                await made.send("GET", "/", None, {})

    assert Kind.UNREACHABLE is caught.value.kind
    assert 0.9 < time.monotonic() - start < 3
