"""The HTTP session beneath a vendor's client: what it must not do, and what it tells of a failure.

The clients make sessions of their own that follow redirects, read any number of bytes, hold at most
100 connections whatever they are told, and don't say whether a lost connection was a reused one.
"""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, ClassVar, Final
from weakref import WeakSet

import aiohttp
from aiohttp.client_proto import ResponseHandler

if TYPE_CHECKING:
    from aiohttp.client_reqrep import ClientRequest
    from aiohttp.connector import Connection
    from aiohttp.tracing import Trace

LARGEST: Final = 32 << 20
"""An answer of more bytes is given up: 10,000 ids are one megabyte, a page rarely ten."""
KEEP_ALIVE: Final = 15.0
"""Idle connections are closed before a load balancer or an engine closes them."""
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
JSON: Final = frozenset({"application/json", "application/vnd.elasticsearch+json"})
HEADERS: Final = {"accept-encoding": "identity"}
"""Unpacking answers costs more than receiving them."""


class Stale(aiohttp.ClientError):
    """A reused connection was gone before a byte of an answer arrived: the engine may not have
    seen the request.
    """


class TooLarge(aiohttp.ClientError):
    """The answer has more bytes than we read."""


class Redirected(aiohttp.ClientError):
    """The answer sends us elsewhere, where we don't go."""


class NotJson(aiohttp.ClientError):
    """The answer is no JSON: somebody else has answered. `status` is what it came with."""

    def __init__(self, status: int) -> None:
        super().__init__(f"no JSON, status {status}")
        self.status = status


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


class Connector(aiohttp.TCPConnector):
    """As many connections as it says, each made within `patience` seconds."""

    def __init__(self, limit: int, patience: float, context: ssl.SSLContext | bool) -> None:
        super().__init__(limit=limit, ssl=context, keepalive_timeout=KEEP_ALIVE)
        self._patience = patience

    async def connect(
        self,
        req: ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - aiohttp's own signature
    ) -> Connection:
        """A connection, from the pool or new."""
        limits = aiohttp.ClientTimeout(total=timeout.total, sock_connect=self._patience)
        return await super().connect(req, traces, limits)


def session(
    limit: int, patience: float, context: ssl.SSLContext | bool, answer: type[Answer] = Answer
) -> aiohttp.ClientSession:
    """A session for one node of a cluster; it reads no proxy from the environment."""
    return aiohttp.ClientSession(
        connector=Connector(limit, patience, context),
        cookie_jar=aiohttp.DummyCookieJar(),
        response_class=answer,
        headers=HEADERS,
        skip_auto_headers=("accept", "user-agent"),
        auto_decompress=True,
        trust_env=False,
    )
