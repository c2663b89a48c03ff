"""Elastic's own client to one node, with its retries, pools and logs out of the way.

It is the client for version 8: it asks for `compatible-with=8`, which 8 and 9 understand; the one
for 9 is refused by 8.
"""

from __future__ import annotations

import asyncio
import logging
import warnings
from typing import Any, Final

import aiohttp
from elastic_transport import AiohttpHttpNode, JsonSerializer, NodeConfig, TransportError
from elastic_transport.client_utils import parse_cloud_id
from elasticsearch import (
    ApiError,
    AsyncElasticsearch,
    ElasticsearchWarning,
    UnsupportedProductError,
)
from yarl import URL

from proxy.backends.cluster.node import PING, Call
from proxy.backends.cluster.recipe import Connecting
from proxy.backends.cluster.session import session
from proxy.backends.cluster.trouble import Kind, Trouble, refusal, trouble_of

LOGGERS: Final = ("elastic_transport", "elasticsearch")
PATIENCE: Final = 60.0
"""The client's own limit: above every budget, of which none is its business."""
JSON: Final = {"accept": "application/json", "content-type": "application/json"}
WHOEVER: Final = {"accept": "*/*"}
"""The client rewrites `application/json` to a type that other products refuse to speak."""


def cloud(cloud_id: str) -> URL:
    """Where the Elasticsearch of a Cloud ID is. Raises ValueError if it names none."""
    address = parse_cloud_id(cloud_id).es_address
    if address is None:
        raise ValueError("names no Elasticsearch")
    return URL.build(scheme="https", host=address[0], port=address[1])


class Elastic:
    """Implements `Client`."""

    def __init__(self, to: Connecting, **login: Any) -> None:
        _quiet()
        self._client = AsyncElasticsearch(
            [
                NodeConfig(
                    scheme=to.url.scheme,
                    host=to.url.host or "",
                    port=to.url.port or 0,
                    path_prefix=to.url.path.rstrip("/"),
                    ssl_context=to.context,
                )
            ],
            node_class=_node_class(to),
            serializers=dict.fromkeys(
                ("application/json", "application/vnd.elasticsearch+json", "text/*"), AsItCame()
            ),
            http_compress=False,
            max_retries=0,
            retry_on_timeout=False,
            request_timeout=PATIENCE,
            meta_header=False,
            opaque_id=f"shadowrank-{to.role}",
            **login,
        )
        # Headers of the client's own aren't copied, rewritten and checked for each request.
        self._posting = self._client.options(headers=JSON)

    async def ask(self, call: Call) -> bytes:
        """The body of a good answer. Raises Trouble."""
        try:
            if call.body is not None:
                answer = await self._posting.perform_request(
                    call.method, call.path, params=call.params, body=call.body
                )
            else:
                answer = await self._client.perform_request(
                    call.method, call.path, params=call.params, headers=WHOEVER
                )
        except UnsupportedProductError as exc:
            if call is PING:  # what it is instead, it says here
                return bytes(exc.body)
            raise Trouble(Kind.PRODUCT) from None
        except ApiError as exc:
            raise refusal(exc.meta.status, exc.body or b"") from None
        body: bytes = answer.body
        return body

    async def close(self) -> None:
        """Close its connections."""
        await self._client.close()


class AsItCame(JsonSerializer):
    """Hands the engine's bytes through: they are decoded once, into what is expected of them."""

    def loads(self, data: bytes) -> bytes:
        """The same."""
        return data


def _node_class(to: Connecting) -> type[AiohttpHttpNode]:
    class Node(AiohttpHttpNode):
        """Elastic's node over a session of ours."""

        session: aiohttp.ClientSession | None

        # The vendor's own override of its synchronous base says the same.
        async def perform_request(self, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
            """Ask. Raises Trouble: the transport above would forget what the failure was."""
            try:
                return await super().perform_request(*args, **kwargs)
            except TransportError as exc:
                raise trouble_of(exc.errors[0]) from None

        def _create_aiohttp_session(self) -> None:
            self._loop = asyncio.get_running_loop()
            self.session = session(to.pool, to.patience, to.context or True)

    return Node


def _quiet() -> None:
    """The client logs addresses, and bodies below that; its warnings may quote a query."""
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore", ElasticsearchWarning)
