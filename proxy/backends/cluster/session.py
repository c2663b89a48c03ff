"""The connections to one node, beneath a vendor's client: what they must not do, what they tell.

The clients' own follow redirects, read any number of bytes, hold at most 100 connections whatever
they are told, format every body for a log that is off, and don't say whether a connection that was
lost had been used before.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Final
from weakref import WeakSet

import aiohttp
from aiohttp.client_proto import ResponseHandler
from yarl import URL

from proxy.backends.cluster.trouble import (
    CAUSES,
    NotJson,
    Redirected,
    Stale,
    TooLarge,
    refusal,
    trouble_of,
)

if TYPE_CHECKING:
    from aiohttp.connector import Connection

LARGEST: Final = 32 << 20
"""An answer of more bytes is given up: 10,000 ids are one megabyte, a page rarely ten."""
KEEP_ALIVE: Final = 15.0
"""Idle connections are closed before a load balancer or an engine closes them."""
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
JSON: Final = frozenset({"application/json", "application/vnd.elasticsearch+json"})
HEADERS: Final = {"accept-encoding": "identity"}
"""Unpacking answers costs more than receiving them."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A good answer, JSON or nothing; `product` is what Elasticsearch calls itself in a header."""

    status: int
    product: str
    body: bytes


class Session:
    """Connections to one node: so many, each made within `patience` seconds, none by a proxy."""

    def __init__(
        self, base: str, limit: int, patience: float, context: ssl.SSLContext | None
    ) -> None:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=limit,
                ssl=True if context is None else context,
                keepalive_timeout=KEEP_ALIVE,
            ),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=patience),
            cookie_jar=aiohttp.DummyCookieJar(),
            response_class=Answer,
            headers=HEADERS,
            skip_auto_headers=("accept", "user-agent"),
            trust_env=False,
        )
        self._url = lru_cache(1024)(lambda target: URL(f"{base}{target}", encoded=True))

    async def send(
        self, method: str, target: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Reply:
        """The answer to a request, if it is a good one. Raises Trouble."""
        try:
            async with self._session.request(
                method, self._url(target), data=body, headers=headers, allow_redirects=False
            ) as answer:
                read = await answer.read()
        except CAUSES as exc:
            raise trouble_of(exc) from None
        if not 200 <= answer.status < 300:
            raise refusal(answer.status, read)
        product = answer.headers.get("x-elastic-product", "")
        return Reply(answer.status, product, read)

    async def close(self) -> None:
        """Close them all."""
        await self._session.close()


class Answer(aiohttp.ClientResponse):
    """An engine's answer: JSON, of a bounded size, from where we asked."""

    _used: ClassVar[WeakSet[ResponseHandler]] = WeakSet()
    """Connections that have brought an answer before."""

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        """Read the head of the answer."""
        protocol = connection.protocol
        reused = protocol is not None and protocol in self._used
        try:
            await super().start(connection)
        except aiohttp.ServerDisconnectedError as exc:
            if reused and isinstance(exc.message, str):  # else it is the part that arrived
                raise Stale from None
            raise
        except aiohttp.ClientOSError:
            if reused:
                raise Stale from None
            raise
        if self.status in REDIRECTS:
            raise Redirected
        if protocol is not None:
            self._used.add(protocol)
        return self

    async def read(self) -> bytes:
        """The whole body; what is too large or no JSON ends the connection."""
        if self._body is None:
            try:
                self._body = await self._bounded()
            except BaseException:
                self.close()
                raise
        return await super().read()

    async def _bounded(self) -> bytes:
        if self.content_length is not None and self.content_length > LARGEST:
            raise TooLarge
        chunks: list[bytes] = []
        size = 0
        async for chunk in self.content.iter_any():
            size += len(chunk)
            if size > LARGEST:
                raise TooLarge
            chunks.append(chunk)
        if size and self.content_type not in JSON:
            raise NotJson(self.status)
        return b"".join(chunks)
