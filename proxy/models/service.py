"""A model service over plain HTTP: JSON there, JSON back, within a time and a size."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from io import BytesIO
from typing import Final, TypeVar

import aiohttp
import msgspec

from proxy.errors import BackendError, BackendTimeout
from proxy.models.access import Access
from proxy.models.failures import code, refusal

T = TypeVar("T")

LARGEST: Final = 16 << 20
"""No sound answer is longer: 96 vectors of 4,096 numbers written out are half of it."""
LARGEST_ERROR: Final = 16 << 10
SENT_AT_ONCE: Final = 1 << 19
"""Bytes; what is longer is sent in pieces, between which others have their turn."""
KEPT_ALIVE: Final = 20
"""Seconds an idle connection is kept: less than what load balancers allow."""

FAILURES: Final[Mapping[type[Exception], tuple[type[BackendError], str]]] = {
    TimeoutError: (BackendTimeout, "no answer in time"),
    aiohttp.ClientConnectorCertificateError: (BackendError, "its certificate isn't trusted"),
    aiohttp.ClientConnectorSSLError: (BackendError, "TLS failed"),
    aiohttp.ClientConnectorError: (BackendError, "no connection"),
    aiohttp.ClientPayloadError: (BackendError, "the answer broke off"),
    aiohttp.ClientError: (BackendError, "no sound HTTP"),
    OSError: (BackendError, "the connection broke"),
    msgspec.DecodeError: (BackendError, "an answer of another shape"),
    UnicodeDecodeError: (BackendError, "an answer that is no text"),
}
"""What each exception of the client means; the first row that fits."""


class Service:
    """An open service. Raises `BackendError` for its failures, which quote neither side."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._session = session
        self._url = url

    async def post(self, path: str, question: Mapping[str, object], answer: type[T]) -> T:
        """What the service answers, read as an `answer`."""
        body = msgspec.json.encode(question)
        try:
            return msgspec.json.decode(await self._asked(path, body), type=answer)
        except tuple(FAILURES) as exc:
            made, what = next(FAILURES[kind] for kind in FAILURES if isinstance(exc, kind))
            failure = made(f"{what} ({type(exc).__name__})")
        # Raised out here, the client's exception doesn't come along: it holds the request's key.
        raise failure

    async def _asked(self, path: str, body: bytes) -> bytes:
        """The body of a 200. A connection that had died while it was idle is tried anew, once."""
        try:
            return await self._sent(path, body)
        except aiohttp.ServerDisconnectedError:
            return await self._sent(path, body)

    async def _sent(self, path: str, body: bytes) -> bytes:
        sent = BytesIO(body) if len(body) > SENT_AT_ONCE else body
        asking = self._session.post(self._url + path, data=sent, allow_redirects=False)
        async with asking as response:
            if response.status != 200:
                told = await _read(response.content, LARGEST_ERROR, strict=False)
                raise refusal(response.status, code(told))
            return await _read(response.content, LARGEST)


async def _read(content: aiohttp.StreamReader, most: int, *, strict: bool = True) -> bytes:
    """The body, or BackendError for one of more than `most` bytes (its beginning if not strict)."""
    body = bytearray()
    async for chunk in content.iter_any():
        body += chunk
        if len(body) > most:
            if strict:
                raise BackendError(f"an answer of more than {most} bytes")
            break
    return bytes(body)


@asynccontextmanager
async def opened(access: Access) -> AsyncIterator[Service]:
    """A client of its own: no proxy from the environment, no redirect, no cookie."""
    headers = {
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Content-Type": "application/json",
    }
    if access.key is not None:
        headers["Authorization"] = f"Bearer {access.key}"
    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(
            limit=access.concurrency, ssl=access.tls, keepalive_timeout=KEPT_ALIVE
        ),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers=headers,
        timeout=aiohttp.ClientTimeout(total=access.seconds),
        trust_env=False,
    )
    async with session:
        yield Service(session, access.url)
