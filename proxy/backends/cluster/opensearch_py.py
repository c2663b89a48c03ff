"""OpenSearch's own client to one node, with its retries, pools and logs out of the way."""

from __future__ import annotations

import asyncio
import logging
import warnings
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final, cast
from urllib.parse import urlencode

import msgspec
from opensearchpy import (
    AIOHttpConnection,
    AsyncOpenSearch,
    AWSV4SignerAsyncAuth,
    ConnectionError,
    JSONSerializer,
    OpenSearchWarning,
    TransportError,
)
from yarl import URL

from proxy.backends.cluster.node import Call
from proxy.backends.cluster.recipe import Connecting
from proxy.backends.cluster.session import Answer, session
from proxy.backends.cluster.trouble import refusal, trouble_of

LOGGERS: Final = ("opensearch", "opensearchpy.trace")
PATIENCE: Final = 60
"""The client's own limit: above every budget, of which none is its business."""


class OpenSearchPy:
    """Implements `Client`."""

    def __init__(
        self,
        to: Connecting,
        basic: tuple[str, str] | None,
        headers: Mapping[str, str],
        signer: Signer | None,
    ) -> None:
        self._signer = signer
        _quiet()
        self._client = AsyncOpenSearch(
            [
                {
                    "host": to.url.host,
                    "port": to.url.port,
                    "url_prefix": to.url.path.strip("/"),
                    "use_ssl": to.url.scheme == "https",
                    "ssl_context": to.context,
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
        signed = None if self._signer is None else await self._signer.headers(call)
        try:
            answer = await self._client.transport.perform_request(
                call.method,
                call.path,
                params=dict(call.params),
                body=call.body,
                headers=signed,
            )
        except ConnectionError as exc:
            raise trouble_of(cast(Exception, exc.info)) from None
        except TransportError as exc:
            raise refusal(int(exc.status_code), msgspec.json.encode(exc.info)) from None
        return bytes(answer)

    async def close(self) -> None:
        """Close its connections."""
        await self._client.close()


class Signer:
    """Signs requests to one node for Amazon (SigV4)."""

    def __init__(self, sign: AWSV4SignerAsyncAuth, url: URL, credentials: Any) -> None:
        self._sign = sign
        self._credentials = credentials
        self._base = str(url).rstrip("/")

    @classmethod
    async def of(cls, region: str, service: str, url: URL) -> Signer:
        """With the credentials of the environment, which may have to be asked for.

        Raises ValueError where there are none.
        """
        signing = await asyncio.to_thread(import_module, "botocore.session")
        credentials = await asyncio.to_thread(signing.get_session().get_credentials)
        if credentials is None:
            raise ValueError("aws: no credentials are in the environment; see docs/clusters.md")
        return cls(AWSV4SignerAsyncAuth(credentials, region, service), url, credentials)

    async def headers(self, call: Call) -> dict[str, str]:
        """What says who asks, and that it asks just this."""
        stale = getattr(self._credentials, "refresh_needed", None)
        if stale is not None and stale():  # asks Amazon, and would hold up everything else
            await asyncio.to_thread(self._credentials.get_frozen_credentials)
        query = f"?{urlencode(call.params)}" if call.params else ""
        return self._sign(call.method, f"{self._base}{call.path}{query}", call.body)


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
            self.session = session(to.pool, to.patience, to.context or True, Bytes)

    return Connection


def _quiet() -> None:
    """The client logs addresses, and bodies below that; its warnings may quote a query."""
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore", OpenSearchWarning)
