"""A model service over HTTP: sound answers, every fault, and what is never done or told."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from proxy.errors import BackendError, BackendTimeout
from proxy.models import service
from proxy.models.access import Access, tls
from tests.proxy.models.services import (
    FAULTS,
    SECRET,
    Fault,
    Models,
    patience,
    secrets_in,
    status,
)

QUESTION = {"inputs": ["swallowed a fork"]}


def way(models: Models, seconds: float = 5) -> Access:
    """The way to the test's services."""
    return Access(f"{models.url}/tei", SECRET, tls("test", None), seconds, 2)


async def ask(access: Access) -> Any:
    """The answer to one question."""
    async with service.opened(access) as open_service:
        return await open_service.post("/embed", QUESTION, list[list[float]])


async def test_a_question_and_its_answer(models: Models) -> None:
    """
    JSON there and back, with the key, and asking for no compression.
    """
    found = await ask(way(models))

    assert [4] == [len(row) for row in found]
    (headers,) = models.headers
    assert f"Bearer {SECRET}" == headers["Authorization"]
    assert ("application/json", "identity") == (headers["Content-Type"], headers["Accept-Encoding"])


async def test_no_key_is_sent_where_there_is_none(models: Models) -> None:
    """
    A server in the house needs none.
    """
    await ask(replace(way(models), key=None))

    assert "Authorization" not in models.headers[0]


@pytest.mark.parametrize(("fault", "reason"), FAULTS.values(), ids=FAULTS)
async def test_every_fault_is_an_error_of_ours(models: Models, fault: Fault, reason: str) -> None:
    """
    It has its reason, was asked for once, and quotes neither text nor key, whatever is repeated.
    """
    models.fault = fault

    with pytest.raises(BackendError) as caught:
        await ask(way(models, patience(fault)))

    assert reason == caught.value.reason
    assert 1 == len(models.asked)
    assert [] == secrets_in(caught.value, "swallowed")


@pytest.mark.parametrize("answer", [{}, [1], [["a"]], [[None]], None, "x", [[1.0], [[1.0]]]])
async def test_an_answer_of_another_shape_is_one_of_the_services(
    models: Models, answer: object
) -> None:
    """
    The model's failure, not a bug of ours.
    """
    models.spoil = lambda _: answer

    with pytest.raises(BackendError, match="another shape"):
        await ask(way(models))


async def test_a_service_that_is_not_there(unused_port: int) -> None:
    """
    No connection, told as such.
    """
    access = Access(f"http://127.0.0.1:{unused_port}", SECRET, tls("test", None), 1, 1)

    with pytest.raises(BackendError, match=r"^no connection") as caught:
        await ask(access)

    assert [] == secrets_in(caught.value, "swallowed")


@pytest.fixture
def unused_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


async def test_a_plain_server_where_tls_was_expected(models: Models) -> None:
    """
    A wrong scheme is told apart from a server that isn't there.
    """
    access = replace(way(models), url=models.url.replace("http:", "https:"))

    with pytest.raises(BackendError, match=r"^(TLS failed|no sound HTTP|the connection broke)"):
        await ask(access)


async def test_a_connection_that_died_is_tried_anew_once(models: Models) -> None:
    """
    A server that closes while the question is on its way is asked again, and then no more.
    """
    closed = 0

    async def closing(request: web.Request) -> web.StreamResponse:
        nonlocal closed
        closed += 1
        assert request.transport is not None
        request.transport.close()
        await asyncio.sleep(1)
        return web.Response()

    models.fault = closing

    with pytest.raises(BackendError, match="no sound HTTP"):
        await ask(way(models))

    assert 2 == closed


async def test_a_redirect_is_not_followed(models: Models) -> None:
    """
    Text and key go where the operator said, and nowhere else.
    """
    models.fault = status(307, Location=f"{models.url}/openai/v1/embeddings")

    with pytest.raises(BackendError, match="HTTP 307"):
        await ask(way(models))

    assert ["/tei/embed"] == [path for path, _ in models.asked]


async def test_a_proxy_of_the_environment_is_not_used(
    models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    A variable that somebody set for something else must not carry users' texts elsewhere.
    """
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")

    assert 1 == len(await ask(way(models)))


async def test_no_more_calls_at_once_than_allowed(models: Models) -> None:
    """
    Others wait for a connection, within their time.
    """
    models.delay = 0.25
    async with service.opened(way(models, 0.4)) as open_service:
        asking = [open_service.post("/embed", QUESTION, list[list[float]]) for _ in range(6)]
        ended = await asyncio.gather(*asking, return_exceptions=True)

    late = [each for each in ended if isinstance(each, BackendTimeout)]
    assert 4 <= len(late)
    assert len(models.asked) <= 4


async def test_who_leaves_ends_the_call(models: Models) -> None:
    """
    The service sees the connection close.
    """
    models.delay = 5
    asking = asyncio.create_task(ask(way(models, seconds=10)))
    while not models.asked:
        await asyncio.sleep(0.01)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)

    async with asyncio.timeout(2):
        while not models.left:
            await asyncio.sleep(0.01)


async def test_a_long_question_is_sent_in_pieces(models: Models) -> None:
    """
    Two megabytes arrive whole, without a warning from the client.
    """
    async with service.opened(way(models, seconds=5)) as open_service:
        question = {"inputs": ["x" * 1000] * 2000}
        found = await open_service.post("/embed", question, list[list[float]])

    assert 2000 == len(found)
