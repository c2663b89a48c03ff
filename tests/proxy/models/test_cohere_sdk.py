"""Cohere's SDK against a server of its wire format: sound answers, every fault, and no more."""

from __future__ import annotations

import asyncio
import gzip
import logging
import time
from collections.abc import Mapping
from typing import Any

import pytest
from aiohttp import web

from proxy.errors import BackendError
from proxy.models import cohere_sdk
from proxy.models.access import Access, tls
from tests.proxy.models.services import (
    FAULTS,
    SECRET,
    Fault,
    Models,
    patience,
    score,
    secrets_in,
    status,
    vector,
)

TEXTS = ("a fork swallowed", "the moon")


def way(models: Models, seconds: float = 5) -> Access:
    """The way to the test's service."""
    return Access(f"{models.url}/cohere", SECRET, tls("test", None), seconds, 2)


async def rerank(models: Models, seconds: float = 5) -> Any:
    """The judgment of one list."""
    async with cohere_sdk.opened(way(models, seconds)) as client:
        return await client.rerank("rerank-v3.5", "swallowed fork", TEXTS)


async def embed(models: Models, seconds: float = 5, **options: Any) -> Any:
    """Two vectors."""
    given = {"encoding": "float", "shape": None, **options}
    async with cohere_sdk.opened(way(models, seconds)) as client:
        return await client.embed("embed-v4.0", TEXTS, **given)


async def test_a_list_is_judged(models: Models) -> None:
    """
    Every document comes back: the number asked for is the number sent.
    """
    found = await rerank(models)

    assert [(at, score("swallowed fork", text)) for at, text in enumerate(TEXTS)] == sorted(found)
    ((_, asked),) = models.asked
    assert {
        "model": "rerank-v3.5",
        "query": "swallowed fork",
        "documents": list(TEXTS),
        "top_n": 2,
    } == asked
    assert f"Bearer {SECRET}" == models.headers[0]["Authorization"]
    assert "identity" == models.headers[0]["Accept-Encoding"]


async def test_texts_are_embedded_as_queries(models: Models) -> None:
    """
    As numbers or as base64 of them, and shorter where the model is asked to shorten.
    """
    plain, short = await embed(models), await embed(models, shape=3)
    (packed, _) = await embed(models, encoding="base64")

    assert [vector(text, 4) for text in TEXTS] == plain
    assert [3, 3] == [len(row) for row in short]
    assert isinstance(packed, str)
    assert [("float", None), ("float", 3), ("base64", None)] == [
        (asked["embedding_types"][0], asked.get("output_dimension")) for _, asked in models.asked
    ]


@pytest.mark.parametrize("asking", [rerank, embed])
@pytest.mark.parametrize(("fault", "reason"), FAULTS.values(), ids=FAULTS)
async def test_every_fault_is_an_error_of_ours(
    models: Models, fault: Fault, reason: str, asking: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """
    It has its reason, was asked for once, and nothing tells text or key, logs included.
    """
    caplog.set_level(logging.DEBUG)
    models.fault = fault

    with pytest.raises(BackendError) as caught:
        await asking(models, patience(fault))

    assert reason == caught.value.reason
    assert 1 == len(models.asked)
    assert [] == secrets_in(caught.value, "swallowed")
    ours = [record for record in caplog.records if record.name != "asyncio"]
    assert not any(word in str(vars(each)) for each in ours for word in (SECRET, "swallowed"))


@pytest.mark.parametrize(
    "answer",
    [
        {}, [], [1], None, "x", {"results": None}, {"results": 3}, {"results": [{}]},
        {"results": [{"index": "first", "relevance_score": 0.1}]},
        {"results": [{"index": 0, "relevance_score": None}]},
        {"results": [{"index": float("inf"), "relevance_score": 1}]}, {"results": ["x"]},
        {"embeddings": None}, {"embeddings": []}, {"embeddings": {"float": None}},
        {"embeddings": {"float": [3]}}, {"embeddings": {"float": [["a"]]}},
        {"embeddings": {"int8": [[1]]}}, {"embeddings": {"float": [[None]]}},
    ],
)  # fmt: skip
async def test_an_answer_of_another_shape_is_one_of_the_services(
    models: Models, answer: object
) -> None:
    """
    The SDK builds its types from anything; what can't be read is the model's failure all the same.
    """
    models.spoil = lambda _: answer

    with pytest.raises(BackendError):
        await (embed if isinstance(answer, dict) and "embeddings" in answer else rerank)(models)


async def test_a_redirect_is_not_followed(models: Models) -> None:
    """
    Nor is what the environment says: neither a proxy nor another address.
    """
    models.fault = status(307, Location=f"{models.url}/jina/v1/rerank")

    with pytest.raises(BackendError, match="HTTP 307"):
        await rerank(models)

    assert ["/cohere/v2/rerank"] == [path for path, _ in models.asked]


async def test_the_environment_changes_nothing(
    models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Neither a proxy nor the SDK's own variables.
    """
    environment: Mapping[str, str] = {
        "HTTP_PROXY": "http://127.0.0.1:1",
        "ALL_PROXY": "http://127.0.0.1:1",
        "CO_API_URL": "http://127.0.0.1:1",
        "CO_API_KEY": "another",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert 2 == len(await rerank(models))
    assert f"Bearer {SECRET}" == models.headers[0]["Authorization"]


async def test_what_is_compressed_is_not_read(models: Models) -> None:
    """
    Nobody asked for it, and a small one can be very large.
    """

    async def bomb(request: web.Request) -> web.StreamResponse:
        return web.Response(
            body=gzip.compress(b" " * (1 << 20)), headers={"Content-Encoding": "gzip"}
        )

    models.fault = bomb

    with pytest.raises(BackendError, match="DecodingError"):
        await rerank(models)


async def test_who_leaves_ends_the_call(models: Models) -> None:
    """
    The service sees the connection close.
    """
    models.delay = 5
    asking = asyncio.create_task(rerank(models))
    while not models.asked:
        await asyncio.sleep(0.01)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)

    async with asyncio.timeout(2):
        while not models.left:
            await asyncio.sleep(0.01)


async def test_base64_is_what_keeps_the_loop_free(models: Models) -> None:
    """
    The SDK makes a type of every number, which a whole batch of vectors would make others wait for.
    """
    models.dimension = 1024
    spent = {}
    for encoding in ("float", "base64"):
        async with cohere_sdk.opened(way(models, seconds=10)) as client:
            await client.embed("m", TEXTS, "base64", None)
            start = time.process_time()
            await client.embed("m", ["text"] * 32, encoding, None)
            spent[encoding] = time.process_time() - start

    assert spent["base64"] < spent["float"]
