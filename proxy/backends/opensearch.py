"""The OpenSearch backend: versions 2 and 3, through the project's own client."""

from __future__ import annotations

import asyncio
import logging
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, cast

import msgspec
from opensearchpy import (
    AIOHttpConnection,
    AsyncOpenSearch,
    ConnectionError,
    JSONSerializer,
    OpenSearchWarning,
    TransportError,
)
from yarl import URL

from config.problems import problem
from proxy.backends.cluster.node import Call
from proxy.backends.cluster.recipe import ClusterRecipe, Connecting
from proxy.backends.cluster.requests.target import EngineKind
from proxy.backends.cluster.session import Answer, session
from proxy.backends.cluster.trouble import refusal, trouble_of

LOGGERS: Final = ("opensearch", "opensearchpy.trace")
PATIENCE: Final = 60
"""The client's own limit: above every budget, of which none is its business."""


@dataclass(frozen=True, slots=True)
class OpenSearch(ClusterRecipe):
    """A cluster of OpenSearch 2 or 3, by the URLs of its nodes."""

    kind: ClassVar[EngineKind] = "opensearch"
    logins: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "basic": ("username_env", "password_env"),
        "bearer": ("bearer_env",),
    }

    def __post_init__(self) -> None:
        if not self.hosts:
            raise ValueError(problem("hosts", "at least one is needed"))
        ClusterRecipe.__post_init__(self)

    def nodes(self) -> tuple[URL, ...]:
        """Where its nodes are."""
        return tuple(URL(host) for host in self.hosts)

    async def client(self, to: Connecting) -> Opened:
        """OpenSearch's client to one node, with its session made: it would be on the first call."""
        made = Opened(to, self.basic(), self._headers())
        await made.connect()
        return made

    def _headers(self) -> dict[str, str]:
        if self.bearer_env is None:
            return {}
        return {"authorization": f"Bearer {os.environ[self.bearer_env]}"}


class Opened:
    """One official client to one node, with its own retries, pools and logs out of the way."""

    def __init__(
        self, to: Connecting, basic: tuple[str, str] | None, headers: Mapping[str, str]
    ) -> None:
        _quiet()
        self._client = AsyncOpenSearch(
            [
                {
                    "host": to.url.host,
                    "port": to.url.port,
                    "url_prefix": to.url.path.strip("/"),
                    "use_ssl": to.url.scheme == "https",
                }
            ],
            connection_class=_connection_class(to),
            serializer=AsItCame(),
            http_auth=basic,
            headers=dict(headers),
            opaque_id=f"shadowrank-{to.role}",
            http_compress=False,
            max_retries=0,
            retry_on_timeout=False,
            retry_on_status=(),
            timeout=PATIENCE,
        )

    async def connect(self) -> None:
        """Make what the client would make on its first call."""
        await self._client.__aenter__()

    async def ask(self, call: Call) -> bytes:
        """The body of a good answer. Raises Trouble."""
        try:
            answer = await self._client.transport.perform_request(
                call.method, call.path, params=dict(call.params), body=call.body
            )
        except ConnectionError as exc:
            raise trouble_of(cast(Exception, exc.info)) from None
        except TransportError as exc:
            raise refusal(int(exc.status_code), msgspec.json.encode(exc.info)) from None
        return bytes(answer)

    async def close(self) -> None:
        """Close its connections."""
        await self._client.close()


class AsItCame(JSONSerializer):
    """Hands the engine's bytes through: they are decoded once, into what is expected of them."""

    def loads(self, s: Any) -> Any:
        """The same."""
        return s


class Bytes(Answer):
    """An answer whose text is its bytes, which the client has no name for."""

    async def text(self, encoding: Any = None, errors: str = "strict") -> Any:
        """The bytes."""
        return await self.read()


def _connection_class(to: Connecting) -> type[AIOHttpConnection]:
    class Connection(AIOHttpConnection):
        """The project's connection over a session of ours."""

        async def _create_aiohttp_session(self) -> None:
            self.loop = asyncio.get_running_loop()
            self.session = session(to.pool, to.patience, to.context, Bytes)

    return Connection


def _quiet() -> None:
    """The client logs addresses, and bodies below that; its warnings may quote a query."""
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore", OpenSearchWarning)
