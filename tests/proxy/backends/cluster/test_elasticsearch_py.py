"""Elastic's client: what it sends, and what it must not do."""

from __future__ import annotations

import logging
from contextlib import AsyncExitStack
from typing import Any

import pytest

from proxy.backends.cluster.node import PING, Call
from proxy.backends.cluster.trouble import Kind, Trouble
from proxy.backends.elasticsearch import Elasticsearch
from tests.toxic import ROOTS, Asked, cut, reply, toxic

SEARCH = Call("POST", "/logs-*/_search", b'{"size": 1}', {"allow_no_indices": "false"})


async def sent(**options: Any) -> Asked:
    """The request that arrives."""
    async with toxic(kind="elasticsearch") as server, AsyncExitStack() as stack:
        (node,) = await Elasticsearch(hosts=(server.url,), **options).opened("shadow", stack)
        await node.ask(SEARCH)
    return server.asked[0]


async def test_a_request_is_of_version_8() -> None:
    """
    Both 8 and 9 understand it; and answers come as they are.
    """
    asked = await sent()

    compatible = "application/vnd.elasticsearch+json; compatible-with=8"
    assert "/logs-*/_search?allow_no_indices=false" == asked.path
    assert (compatible, compatible, "identity", "shadowrank-shadow") == tuple(
        asked.headers[name] for name in ("accept", "content-type", "accept-encoding", "x-opaque-id")
    )


async def test_another_product_is_told_by_its_root_only() -> None:
    """
    There it says what it is; elsewhere the header is missing, and that is all that is known.
    """
    nothing = {"x-elastic-product": "none"}
    paths = {"/": reply(ROOTS["opensearch"], headers=nothing)}
    async with toxic(reply(headers=nothing), paths=paths) as server, AsyncExitStack() as stack:
        (node,) = await Elasticsearch(hosts=(server.url,)).opened("live", stack)
        root = await node.ask(PING)
        with pytest.raises(Trouble) as caught:
            await node.ask(SEARCH)

    assert b"opensearch" in root
    assert Kind.PRODUCT is caught.value.kind


@pytest.mark.parametrize(
    ("behaviour", "kind", "code"),
    [
        (reply({"error": {"type": "parsing_exception", "reason": "secret"}}, 400), Kind.STATUS,
         "parsing_exception"),
        (reply({"error": "secret", "status": 429}, 429), Kind.STATUS, ""),
        (cut, Kind.BROKEN, ""),
    ],
)  # fmt: skip
async def test_nothing_of_a_query_is_logged(
    behaviour: Any, kind: Kind, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    """
    The client logs addresses and bodies, at every level; warnings of the engine quote queries.
    """
    caplog.set_level(logging.DEBUG)
    warning = {"warning": '299 Elasticsearch-8 "secret is deprecated"'}
    async with toxic(reply(headers=warning)) as server, AsyncExitStack() as stack:
        (node,) = await Elasticsearch(hosts=(server.url,)).opened("live", stack)
        await node.ask(Call("POST", "/faq/_search", b'{"secret": 1}'))
    async with toxic(behaviour) as server, AsyncExitStack() as stack:
        (node,) = await Elasticsearch(hosts=(server.url,)).opened("live", stack)
        with pytest.raises(Trouble) as caught:
            await node.ask(Call("POST", "/faq/_search", b'{"secret": 1}'))

    assert (kind, code) == (caught.value.kind, caught.value.code)
    assert "secret" not in caplog.text + repr(caught.value) + str(caught.value)
