"""One evaluator process: opened in order, served until a signal, closed in reverse."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Final

from aiohttp import web
from prometheus_client import CollectorRegistry
from redis.exceptions import RedisError

from config.schema import Settings
from evaluator.app import private
from evaluator.connecting import connected
from evaluator.lease import Lease
from evaluator.metrics import Metrics
from evaluator.service import Service

log = logging.getLogger(__name__)

GRACE_SECONDS: Final = 5.0
IDLE_SECONDS: Final = 75.0
"""After this, a connection without a whole request is closed (aiohttp's default is an hour)."""


def collect_rarely() -> None:
    """A batch makes a hundred thousand short-lived values, no cycle among them."""
    gc.set_threshold(50_000, 20, 20)


async def serve(read: Callable[[], Settings], environ: Mapping[str, str]) -> None:
    """Serve until SIGTERM or SIGINT; SIGHUP reads the configuration again.

    Raises ConfigError, `RedisMissing`, `AlreadyRunning`, `ShardsChanged`, and OSError for a port
    that is taken. A Redis that doesn't answer is waited for.
    """
    settings, stop = read(), asyncio.Event()
    collect_rarely()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with connected(settings, environ) as clients:
        lease, metrics = Lease(clients.lock), Metrics(CollectorRegistry())
        service = Service(clients.data, lease, settings, read, metrics)
        loop.add_signal_handler(signal.SIGHUP, service.reload)
        async with listening(service, settings):
            try:
                await _until(stop, service)
            finally:
                with suppress(RedisError, OSError):
                    await lease.release()
    log.info("stopped")


async def _until(stop: asyncio.Event, service: Service) -> None:
    """Let the service run until `stop`, and the round in progress a little longer."""
    rounds, stopped = asyncio.create_task(service.run()), asyncio.create_task(stop.wait())
    await asyncio.wait((rounds, stopped), return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    service.stop()
    await asyncio.wait((rounds,), timeout=GRACE_SECONDS)
    if rounds.done():
        rounds.result()
    rounds.cancel()  # a round that is cut off is as if it had not begun


@asynccontextmanager
async def listening(service: Service, settings: Settings) -> AsyncIterator[None]:
    """Serve the private port. Raises OSError that names it."""
    runner = web.AppRunner(private(service), access_log=None, keepalive_timeout=IDLE_SECONDS)
    await runner.setup()
    try:
        admin = settings.evaluator.admin
        try:
            await web.TCPSite(runner, admin.host, admin.port).start()
        except OSError as exc:  # which, for a name that isn't known, doesn't say the name
            why = exc.strerror or exc
            raise OSError(f"evaluator.admin: {admin.host}:{admin.port}: {why}") from exc
        log.info("serving", extra={"addresses": [str(address) for address in runner.addresses]})
        yield
    finally:
        await runner.cleanup()
