"""Elastic's own client over connections of ours, its retries and its pool out of the way.

It is the client for version 8: it asks for `compatible-with=8`, which 8 and 9 understand; the one
for 9 is refused by 8.
"""

from __future__ import annotations

import logging
from typing import Any, Final

from elastic_transport import (
    ApiResponseMeta,
    BaseAsyncNode,
    HttpHeaders,
    JsonSerializer,
    NodeConfig,
    TransportApiResponse,
)
from elastic_transport.client_utils import parse_cloud_id
from elasticsearch import ApiError, AsyncElasticsearch, UnsupportedProductError
from yarl import URL

from proxy.backends.cluster.node import PING, Call
from proxy.backends.cluster.recipe import Connecting
from proxy.backends.cluster.session import Session
from proxy.backends.cluster.trouble import Kind, Trouble, refusal

LOGGERS: Final = ("elastic_transport", "elasticsearch")
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
        for name in LOGGERS:  # they tell addresses
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self._client = AsyncElasticsearch(
            [
                NodeConfig(
                    scheme=to.url.scheme,
                    host=to.url.host or "",
                    port=to.url.port or 0,
                    path_prefix=to.url.path.rstrip("/"),
                )
            ],
            node_class=_node_class(to),
            serializers=dict.fromkeys(
                ("application/json", "application/vnd.elasticsearch+json"), AsItCame()
            ),
            http_compress=False,
            max_retries=0,
            retry_on_timeout=False,
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
                    call.method, call.target, body=call.body
                )
            else:
                answer = await self._client.perform_request(
                    call.method, call.target, headers=WHOEVER
                )
        except UnsupportedProductError as exc:
            if call is PING:  # what it is instead, it says here
                return bytes(exc.body)
            raise Trouble(Kind.PRODUCT) from None
        except ApiError as exc:  # a status that it finds no good one
            raise refusal(exc.meta.status, b"") from None
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


def _node_class(to: Connecting) -> type[BaseAsyncNode]:
    class Node(BaseAsyncNode):
        """A node over a session of ours. The client gets the headers that it looks at, and none
        of the engine's warnings, which may quote a query.
        """

        def __init__(self, config: NodeConfig) -> None:
            super().__init__(config)
            self._session = Session(self.base_url, to.pool, to.patience, to.context)

        # The vendor's own override of its synchronous base says the same.
        async def perform_request(  # type: ignore[override]
            self,
            method: str,
            target: str,
            body: bytes | None = None,
            headers: HttpHeaders | None = None,
            request_timeout: object = None,
        ) -> Any:
            """Ask. Raises Trouble, which the client lets through."""
            sent = {} if headers is None else dict(headers.items())
            reply = await self._session.send(method, target, body, sent)
            told = {"content-type": "application/json", "x-elastic-product": reply.product}
            meta = ApiResponseMeta(reply.status, "1.1", HttpHeaders(told), 0.0, self.config)
            return TransportApiResponse(meta, reply.body)

        async def close(self) -> None:  # type: ignore[override]  # as above
            """Close its connections."""
            await self._session.close()

    return Node
