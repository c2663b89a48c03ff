"""A port that serves an application: bound, watched by its door, drained at the end."""

from __future__ import annotations

import asyncio
import logging
import resource
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from aiohttp import StreamReader, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http import RawRequestMessage
from aiohttp.http_parser import HttpRequestParser, HttpRequestParserPy

from proxy.connection import Connection, Told
from proxy.door import Door

log = logging.getLogger(__name__)

PRIVATE_CONNECTIONS: Final = 64
"""On the private port: it has few callers, and must have room when the public one is full."""
SWEEP_SECONDS: Final = 1.0
KEPT: Final = 1024
"""File descriptors for everything but clients: engines, models, Redis, the private port."""


class ParserMissing(Exception):
    """aiohttp reads requests by its fallback, which takes some that its parser in C refuses."""


def check_parser() -> None:
    """Raises `ParserMissing`: what a proxy before us takes for one request, we must, too."""
    if HttpRequestParser is HttpRequestParserPy:
        raise ParserMissing(
            "cannot serve: aiohttp's HTTP parser in C is missing; unset AIOHTTP_NO_EXTENSIONS, "
            "or install aiohttp from a wheel"
        )


def room(wanted: int) -> int:
    """How many of the `wanted` connections there are file descriptors for, once this process's
    limit is raised as far as it may be.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + KEPT
    if resource.RLIM_INFINITY != soft < needed:
        raised = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
            soft = raised
    got = wanted if soft == resource.RLIM_INFINITY else min(wanted, max(soft - KEPT, soft // 2))
    if got < wanted:
        said = {"max_connections": wanted, "connections": got, "descriptors": soft}
        log.warning("too few file descriptors for server.max_connections", extra=said)
    return got


@asynccontextmanager
async def listening(
    app: web.Application, host: str, port: int, door: Door, told: Told, drain: float
) -> AsyncIterator[tuple[str, int]]:
    """Serve `app`; the address as bound. At the end the port closes first, then requests have
    `drain` seconds to be finished. Raises OSError that names the address.
    """
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=drain)
    await runner.setup()
    try:
        server, loop = runner.server, asyncio.get_running_loop()
        assert server is not None  # it is there once the runner is set up
        _report_heads(server)
        try:
            bound = await loop.create_server(
                lambda: Connection(server, door, told, loop), host, port, backlog=128
            )
        except OSError as exc:
            raise OSError(f"{host}:{port}: {exc.strerror or exc}") from exc
        sweeping = asyncio.create_task(_sweep(door))
        address: tuple[str, int] = bound.sockets[0].getsockname()[:2]
        try:
            yield address
        finally:
            sweeping.cancel()
            bound.close()
    finally:
        await runner.cleanup()


async def _sweep(door: Door) -> None:
    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        door.sweep()


def _report_heads(server: web.Server) -> None:
    """Have connections told when a head is whole, which is when its request is made."""
    make = server.request_factory

    def request(
        message: RawRequestMessage,
        payload: StreamReader,
        protocol: web.RequestHandler,
        writer: AbstractStreamWriter,
        task: asyncio.Task[None],
    ) -> web.BaseRequest:
        assert isinstance(protocol, Connection)  # this server makes no others
        protocol.begins()
        return make(message, payload, protocol, writer, task)

    server.request_factory = request
