"""The Elasticsearch backend: versions 8 and 9, through Elastic's own client for 8.

That client asks for `compatible-with=8`, which both understand; the client for 9 is refused by 8.
"""

from __future__ import annotations

import asyncio
import logging
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import aiohttp
from elastic_transport import (
    AiohttpHttpNode,
    JsonSerializer,
    NodeConfig,
    TransportError,
)
from elastic_transport.client_utils import parse_cloud_id
from elasticsearch import (
    ApiError,
    AsyncElasticsearch,
    ElasticsearchWarning,
    UnsupportedProductError,
)
from yarl import URL

from config.problems import problem
from proxy.backends.cluster.node import PING, Call
from proxy.backends.cluster.recipe import ClusterRecipe, Connecting
from proxy.backends.cluster.requests.target import EngineKind
from proxy.backends.cluster.session import session
from proxy.backends.cluster.trouble import Kind, Trouble, refusal, trouble_of

LOGGERS: Final = ("elastic_transport", "elasticsearch")
PATIENCE: Final = 60.0
"""The client's own limit: above every budget, of which none is its business."""
JSON: Final = {"accept": "application/json", "content-type": "application/json"}
WHOEVER: Final = {"accept": "*/*"}
"""The client rewrites `application/json` to a type that other products refuse to speak."""


@dataclass(frozen=True, slots=True)
class Elasticsearch(ClusterRecipe):
    """A cluster of Elasticsearch 8 or 9, by the URLs of its nodes or by its Elastic Cloud ID."""

    kind: ClassVar[EngineKind] = "elasticsearch"
    logins: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "basic": ("username_env", "password_env"),
        "api_key": ("api_key_env",),
        "bearer": ("bearer_env",),
    }

    cloud_id_env: str | None = None
    api_key_env: str | None = None

    def __post_init__(self) -> None:
        if bool(self.hosts) == (self.cloud_id_env is not None):
            raise ValueError(problem("hosts", "or cloud_id_env is needed, one of them"))
        ClusterRecipe.__post_init__(self)

    def nodes(self) -> tuple[URL, ...]:
        """Where its nodes are; a Cloud ID names one. Raises ValueError for what is no Cloud ID."""
        if self.cloud_id_env is None:
            return tuple(URL(host) for host in self.hosts)
        try:
            address = parse_cloud_id(os.environ[self.cloud_id_env]).es_address
        except ValueError:
            address = None
        if address is None:
            what = "holds no Cloud ID of an Elasticsearch; copy it from the deployment's page"
            raise ValueError(problem("cloud_id_env", what))
        return (URL.build(scheme="https", host=address[0], port=address[1]),)

    async def client(self, to: Connecting) -> Elastic:
        """Elastic's client to one node."""
        return Elastic(
            to,
            basic_auth=self.basic(),
            api_key=_secret(self.api_key_env),
            bearer_auth=_secret(self.bearer_env),
        )


class Elastic:
    """One official client to one node, with its own retries, pools and logs out of the way."""

    def __init__(self, to: Connecting, **login: Any) -> None:
        _quiet()
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
                ("application/json", "application/vnd.elasticsearch+json", "text/*"), AsItCame()
            ),
            http_compress=False,
            max_retries=0,
            retry_on_timeout=False,
            request_timeout=PATIENCE,
            opaque_id=f"shadowrank-{to.role}",
            **login,
        )

    async def ask(self, call: Call) -> bytes:
        """The body of a good answer. Raises Trouble."""
        try:
            answer = await self._client.perform_request(
                call.method,
                call.path,
                params=call.params,
                headers=JSON if call.body is not None else WHOEVER,
                body=call.body,
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
            self.session = session(to.pool, to.patience, to.context)

    return Node


def _secret(name: str | None) -> str | None:
    return None if name is None else os.environ[name]


def _quiet() -> None:
    """The client logs addresses, and bodies below that; its warnings may quote a query."""
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore", ElasticsearchWarning)
