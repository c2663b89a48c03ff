"""OpenSearch's own client over connections of ours, its retries and its pool out of the way."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Mapping
from importlib import import_module
from typing import Any, Final

from aiohttp import encode_basic_auth
from opensearchpy import AsyncConnection, AsyncOpenSearch, AWSV4SignerAsyncAuth, JSONSerializer

from proxy.backends.cluster.node import Call
from proxy.backends.cluster.recipe import Connecting
from proxy.backends.cluster.session import Session
from proxy.backends.cluster.trouble import Kind, Trouble

LOGGERS: Final = ("opensearch", "opensearchpy.trace")


class OpenSearchPy:
    """Implements `Client`."""

    def __init__(self, to: Connecting, headers: Mapping[str, str], signer: Signer | None) -> None:
        for name in LOGGERS:  # they tell addresses and bodies
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self._client = AsyncOpenSearch(
            [
                {
                    "host": to.url.host,
                    "port": to.url.port,
                    "url_prefix": to.url.path.strip("/"),
                    "use_ssl": to.url.scheme == "https",
                }
            ],
            connection_class=_connection_class(to, signer),
            serializer=AsItCame(),
            headers=dict(headers),
            opaque_id=f"shadowrank-{to.role}",
            http_compress=False,
            max_retries=0,
            retry_on_timeout=False,
            retry_on_status=(),
        )

    async def connect(self) -> None:
        """Make what the client would make on its first call."""
        await self._client.__aenter__()

    async def ask(self, call: Call) -> bytes:
        """The body of a good answer. Raises Trouble."""
        answer = await self._client.transport.perform_request(
            call.method, call.target, body=call.body
        )
        return bytes(answer)

    async def close(self) -> None:
        """Close its connections."""
        await self._client.close()


class Signer:
    """Signs requests to one node for Amazon (SigV4)."""

    def __init__(self, sign: AWSV4SignerAsyncAuth, credentials: Any) -> None:
        self._sign = sign
        self._credentials = credentials
        self._failures = import_module("botocore.exceptions").BotoCoreError

    @classmethod
    async def of(cls, region: str, service: str) -> Signer:
        """With the credentials of the environment, which may have to be asked for.

        Raises ValueError where there are none.
        """
        signing = await asyncio.to_thread(import_module, "botocore.session")
        credentials = await asyncio.to_thread(signing.get_session().get_credentials)
        if credentials is None:
            raise ValueError("aws: no credentials are in the environment; see docs/clusters.md")
        return cls(AWSV4SignerAsyncAuth(credentials, region, service), credentials)

    async def headers(self, method: str, url: str, body: bytes | None) -> dict[str, str]:
        """What says who asks, and that it asks just this. Raises Trouble."""
        stale = getattr(self._credentials, "refresh_needed", None)
        try:
            if stale is not None and stale():  # asks Amazon, and would hold up everything else
                await asyncio.to_thread(self._credentials.get_frozen_credentials)
            return self._sign(method, url, body)
        except self._failures:
            raise Trouble(Kind.UNSIGNED) from None


class AsItCame(JSONSerializer):
    """Hands the engine's bytes through: they are decoded once, into what is expected of them."""

    def loads(self, s: Any) -> Any:
        """The same."""
        return s


def basic(name: str, password: str) -> dict[str, str]:
    """The header that says a name and its password."""
    return {"authorization": encode_basic_auth(name, password, "utf-8")}


def _connection_class(to: Connecting, signer: Signer | None) -> type[AsyncConnection]:
    class Connection(AsyncConnection):
        """A connection over a session of ours; it reads no warnings, which may quote a query."""

        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self._base = f"{self.host}{self.url_prefix}"
            self._session = Session(self._base, to.pool, to.patience, to.context)

        async def perform_request(
            self,
            method: str,
            url: str,
            params: Mapping[str, Any] | None = None,
            body: bytes | None = None,
            timeout: float | None = None,  # noqa: ASYNC109 - the vendor's own signature
            ignore: Collection[int] = (),
            headers: Mapping[str, str] | None = None,
        ) -> Any:
            """Ask. Raises Trouble, which the client lets through."""
            sent = self.headers
            if signer is not None:
                sent = sent | await signer.headers(method, f"{self._base}{url}", body)
            reply = await self._session.send(method, url, body, sent)
            return reply.status, {"content-type": "application/json"}, reply.body

        async def close(self) -> None:
            """Close its connections."""
            await self._session.close()

    return Connection
