"""Rounds for ever: the routes of the configuration in force, read and exported every interval."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from time import monotonic, perf_counter
from typing import Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from config.errors import ConfigError
from config.schema import Settings
from evaluator.gauges import RouteReport
from evaluator.lease import Lease
from evaluator.metrics import Metrics
from evaluator.route import open_routes
from evaluator.settings import unchangeable
from proxy.events.shards import claim

log = logging.getLogger(__name__)

LATE_ROUNDS: Final = 3
"""Ready means that a round was finished within this many intervals, and `LEAST_LATE` seconds."""
LEAST_LATE: Final = 10.0
PATIENCE_SECONDS: Final = 5.0
"""How long a starting evaluator waits for its predecessor's lock."""


class AlreadyRunning(Exception):
    """Another evaluator reads this log: two would take turns. Exit code 2."""


class Service:
    """The evaluator between Redis and its registry.

    `lease` is its lock, `read` reads the configuration again for a reload.
    """

    def __init__(
        self,
        client: Redis,
        lease: Lease,
        settings: Settings,
        read: Callable[[], Settings],
        metrics: Metrics,
    ) -> None:
        self.metrics = metrics
        self._client = client
        self._lease = lease
        self._settings = settings
        self._read = read
        self._routes = open_routes(client, settings, metrics)
        self._reports: dict[str, RouteReport] = {}
        self._finished: float | None = None
        self._held = False
        self._reload = False
        self._stop = False
        self._called = asyncio.Event()

    @property
    def ready(self) -> bool:
        """Has a round been finished lately?"""
        late = LATE_ROUNDS * self._settings.evaluator.interval
        return self._finished is not None and monotonic() - self._finished < max(late, LEAST_LATE)

    async def run(self) -> None:
        """Rounds until `stop`; what Redis doesn't answer is tried again in the next one.

        Raises `AlreadyRunning`, and `ShardsChanged` where the log has another number of shards.
        """
        while not self._stop:
            began = monotonic()
            try:
                await self.round()
            except (RedisError, OSError) as exc:
                self.metrics.failed()
                where = self._settings.events.redis
                log.warning("round failed", extra={"redis": where, "reason": type(exc).__name__})
            await self._rest(began + self._settings.evaluator.interval - monotonic())
            if self._reload:
                self._reload = False
                await self._replace()

    async def round(self) -> None:
        """One round over all routes, exported at its end."""
        began = perf_counter()
        if not self._held:
            await claim(self._client, self._settings.events.shards)
        await self._hold()
        for route in self._routes:
            report = await route.round()
            if report is not None:
                self._reports[route.name] = report
        self.metrics.publish(self._reports)
        self.metrics.round(perf_counter() - began)
        self._finished = monotonic()

    def reload(self) -> None:
        """Read the configuration again, once the round in progress is over."""
        self._reload = True
        self._called.set()

    def stop(self) -> None:
        """End once the round in progress is over. (Cancelling `run` may fail: redis-py 8.1 can lose
        a cancellation. No harm is done by either, nor by a kill.)
        """
        self._stop = True
        self._called.set()

    async def _rest(self, seconds: float) -> None:
        """Wait for the next round, or for a call."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, seconds)):
                await self._called.wait()
        self._called.clear()

    async def _replace(self) -> None:
        """Take another configuration into force whole, or keep the last one.

        Sums go on where judging, windows and measures are the same, else they begin at 0.
        """
        try:
            settings = await asyncio.to_thread(self._read)
            problems = unchangeable(self._settings, settings)
        except ConfigError as exc:
            problems = exc.problems
        self.metrics.reloaded("failed" if problems else "ok")
        if problems:
            log.error("reload failed, the last configuration stays", extra={"problems": problems})
            return
        self._settings, self._reports = settings, {}
        self._routes = open_routes(self._client, settings, self.metrics)
        log.info("configuration reloaded")

    async def _hold(self) -> None:
        """Keep the lock; at the start, wait a little for whoever is just leaving."""
        names = [route.name for route in self._routes]
        interval = self._settings.evaluator.interval
        end = monotonic() + (0.0 if self._held else PATIENCE_SECONDS)
        while taken := await self._lease.renew(names, interval):
            if monotonic() >= end:
                raise AlreadyRunning(f"another evaluator reads the route {taken!r} of this log")
            await asyncio.sleep(0.1)
        self._held = True
