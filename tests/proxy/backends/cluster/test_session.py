"""The session beneath the clients, against servers that misbehave."""

from __future__ import annotations

import asyncio
import socket
import time

import aiohttp
import pytest

from proxy.backends.cluster.session import (
    LARGEST,
    NotJson,
    Redirected,
    Stale,
    TooLarge,
    session,
)
from tests.toxic import Behaviour, cut, endless, garbage, half, html, in_turn, reply, toxic


async def asked(behaviour: Behaviour, times: int = 1) -> bytes:
    """What a POST to such a server brings, the last of several over one session."""
    async with toxic(behaviour) as server, session(2, 1.0, True) as made:
        for _ in range(times):
            async with made.post(f"{server.url}/faq/_search", data=b"{}") as answer:
                body = await answer.read()
    return body


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [
        (reply(status=302, headers={"location": "http://127.0.0.1:9/"}), Redirected),
        (html(), NotJson),
        (html(502), NotJson),
        (reply(headers={"content-length": str(LARGEST + 1)}), TooLarge),
        (endless(LARGEST + (2 << 20)), TooLarge),
        (half, aiohttp.ClientPayloadError),
        (cut, aiohttp.ServerDisconnectedError),
        (garbage, aiohttp.ClientError),
    ],
    ids="redirect html html-502 declared-large large half cut garbage".split(),
)
async def test_what_is_no_answer_is_told_apart(
    behaviour: Behaviour, error: type[Exception]
) -> None:
    """
    None of them is followed, held in memory, or taken for an engine's answer.
    """
    with pytest.raises(error) as caught:
        await asked(behaviour)

    assert not isinstance(caught.value, Stale)


async def test_a_reused_connection_that_dies_is_known_as_such() -> None:
    """
    Nothing of an answer had arrived: the engine closed it while we wrote.
    """
    with pytest.raises(Stale):
        await asked(in_turn(reply(), cut), 2)


async def test_a_reused_connection_that_dies_amid_an_answer_is_not_asked_again() -> None:
    """
    The engine has worked on it.
    """

    async def headless(asked: object, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: appl")
        await writer.drain()
        writer.close()

    with pytest.raises(aiohttp.ClientError) as caught:
        await asked(in_turn(reply(), headless), 2)

    assert not isinstance(caught.value, Stale)


@pytest.mark.parametrize("pool", [3, 150])
async def test_the_pool_is_as_large_as_it_says(pool: int) -> None:
    """
    Seen from the other end: so many connections at once, and they are kept.
    """
    async with toxic(reply(after=0.2)) as server, session(pool, 1.0, True) as made:

        async def one() -> None:
            async with made.post(f"{server.url}/faq/_search", data=b"{}") as answer:
                await answer.read()

        for _ in range(2):
            await asyncio.gather(*(one() for _ in range(pool + 10)))

    assert (pool, pool) == (server.most, server.made)


async def test_answers_are_asked_for_as_they_are() -> None:
    """
    Unpacking them costs more than receiving them.
    """
    async with toxic() as server, session(2, 1.0, True) as made:
        await made.post(f"{server.url}/faq/_search", data=b"{}")

    assert "identity" == server.asked[0].headers["accept-encoding"]


async def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    What the process's environment says of the way out is no way to a cluster.
    """
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")

    assert (await asked(reply({"a": 1}))).startswith(b"{")


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

        async with session(2, 0.2, True) as made:
            with pytest.raises(aiohttp.ConnectionTimeoutError):
                await made.get(f"http://{host}:{port}/")

    assert time.monotonic() - start < 2
