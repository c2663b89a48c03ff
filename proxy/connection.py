"""A client's connection: aiohttp's, which reports to its door and errs in our one shape."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final, NoReturn, TypeAlias, cast

from aiohttp import web
from aiohttp.http import HttpProcessingError

from proxy.door import Door
from proxy.errors import Overloaded
from proxy.wire.failures import MAX_LINE, bare, failure, malformed

log = logging.getLogger(__name__)

Told: TypeAlias = Callable[[web.BaseRequest, web.HTTPException], Awaitable[web.Response]]
"""What a client is told of an error that aiohttp raised before any handler of ours ran."""

KEEP_ALIVE_SECONDS: Final = 75.0
"""Longer than load balancers keep idle connections: we must not close one that is in use."""
LINGER_SECONDS: Final = 1.0
"""How long a body refused unread is still swallowed, so that the client sees the refusal."""
UNREAD_SECONDS: Final = 30.0
"""How long a client may take to read what waits for it before more can be written."""
OPTIONS: Final = {
    "access_log": None,  # one line a search is written by `routes`, without the URL and its text
    "keepalive_timeout": KEEP_ALIVE_SECONDS,
    "lingering_time": LINGER_SECONDS,
    "max_line_size": MAX_LINE,
    "max_field_size": MAX_LINE,
}
FULL: Final = bare(failure(Overloaded()))


class Connection(web.RequestHandler):
    """One connection of a port."""

    __slots__ = ("_door", "_told", "_unread", "_wire")

    def __init__(
        self, server: web.Server, door: Door, told: Told, loop: asyncio.AbstractEventLoop
    ) -> None:
        options: dict[str, Any] = OPTIONS
        super().__init__(server, loop=loop, **options)
        self._door = door
        self._told = told
        self._wire: asyncio.Transport | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, or refuse to."""
        self._wire = cast(asyncio.Transport, transport)
        if self._door.enters(self):
            super().connection_made(transport)
            return
        self._wire.write(FULL)
        self._wire.close()

    def data_received(self, data: bytes) -> None:
        """Read on."""
        self._door.heard(self)
        super().data_received(data)

    def begins(self) -> None:
        """A request's head is whole."""
        self._door.begins(self)

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """Write what a handler returned, or what aiohttp raised before there was one."""
        if isinstance(resp, web.HTTPException):
            resp = await self._told(request, resp)
        try:
            return await super().finish_response(request, resp, start_time)
        finally:
            self._door.waits(self)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> NoReturn:
        """Answer what is no HTTP, or a bug outside the handlers, without repeating what was sent;
        then the connection ends. (`message` and aiohttp's own log quote it.)
        """
        if isinstance(exc, HttpProcessingError):
            log.debug("malformed request", extra={"error": type(exc).__name__})
            self._door.count("malformed")
            self._say(malformed(exc))
        elif not isinstance(exc, ConnectionError):
            log.error("request failed", exc_info=exc)
            if not request.writer.output_size:
                self._say(failure(RuntimeError()))
        raise ConnectionResetError

    def pause_writing(self) -> None:
        """More waits for the client than is kept for it."""
        super().pause_writing()
        self._unread = self._loop.call_later(UNREAD_SECONDS, self._door.cut, self, "unread")

    def resume_writing(self) -> None:
        """It has read on."""
        super().resume_writing()
        self._read()

    def connection_lost(self, exc: BaseException | None) -> None:
        """It is gone."""
        self._read()
        self._door.leaves(self)
        super().connection_lost(exc)

    def cut(self) -> None:
        """Close it now, whatever has not been sent yet."""
        self.force_close()
        if self._wire is not None:
            self._wire.abort()

    def _read(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _say(self, response: web.Response) -> None:
        if self._wire is not None:
            self._wire.write(bare(response))
