"""Rounds for ever."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from prometheus_client import CollectorRegistry
from redis.asyncio import Redis

from config.errors import ConfigError
from config.schema import Events, Settings
from evaluator.connecting import connected
from evaluator.lease import Lease
from evaluator.metrics import Metrics
from evaluator.service import AlreadyRunning, Service
from proxy.events.keys import SHARDS
from proxy.events.shards import ShardsChanged
from tests.evaluator.made import settings, write
from tests.evaluator.test_route import recent

FAST = {"interval": 0.01}
ROUNDS = "shadowrank_evaluator_round_seconds_count"


@asynccontextmanager
async def service(
    url: str, read: Callable[[], Settings] = lambda: settings(**FAST)
) -> AsyncIterator[tuple[Service, CollectorRegistry]]:
    """A service and its registry."""
    registry = CollectorRegistry()
    redis = settings(**FAST).model_copy(update={"events": Events(redis=url, shards=1)})
    async with connected(redis, {}) as clients:
        lease, metrics = Lease(clients.lock), Metrics(registry)
        yield Service(clients.data, lease, settings(**FAST), read, metrics), registry


@asynccontextmanager
async def running(made: Service) -> AsyncIterator[None]:
    """Let it run meanwhile."""
    task = asyncio.create_task(made.run())
    try:
        yield
    finally:
        made.stop()
        await task


async def until(holds: Callable[[], bool]) -> None:
    """Wait until it holds."""
    async with asyncio.timeout(20):
        while not holds():
            await asyncio.sleep(0.01)


async def test_a_round_exports_what_was_served(redis_url: str, client: Redis) -> None:
    """
    And it is ready from then on.
    """
    await write(client, recent(3))
    async with service(redis_url) as (made, registry):
        assert not made.ready
        await made.round()

        labels = {"route": "faq", "measure": "RR"}
        assert 3 == registry.get_sample_value("shadowrank_served_relevance_samples", labels)
        assert made.ready


async def test_a_second_evaluator_is_refused(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    After a moment for a predecessor to leave.
    """
    monkeypatch.setattr("evaluator.service.PATIENCE_SECONDS", 0.2)
    async with service(redis_url) as (first, _), service(redis_url) as (second, _):
        await first.round()
        with pytest.raises(AlreadyRunning, match="'faq'"):
            await second.round()


async def test_another_number_of_shards_is_refused(redis_url: str, client: Redis) -> None:
    """
    It would leave streams unread.
    """
    await client.set(SHARDS, 4)
    async with service(redis_url) as (made, _):
        with pytest.raises(ShardsChanged):
            await made.run()


async def test_a_redis_that_is_away_is_waited_for() -> None:
    """
    Failed rounds are counted; the service lives, and isn't ready.
    """
    async with service("unix:///nowhere/redis.sock") as (made, registry), running(made):
        failed = "shadowrank_evaluator_failed_rounds_total"
        await until(lambda: (registry.get_sample_value(failed) or 0) >= 2)

        assert not made.ready


async def test_a_reload_takes_other_measures_into_force(redis_url: str, client: Redis) -> None:
    """
    They begin at n = 0, and the old ones are gone.
    """
    await write(client, recent(3))
    new = settings(**FAST, measures=("P@5",))
    async with service(redis_url, lambda: new) as (made, registry), running(made):
        old = {"route": "faq", "measure": "RR"}
        samples = "shadowrank_served_relevance_samples"
        await until(lambda: registry.get_sample_value(samples, old) == 3)
        made.reload()
        reloaded = "shadowrank_config_reload_total"
        await until(lambda: registry.get_sample_value(reloaded, {"outcome": "ok"}) == 1)
        await write(client, recent(2, first=3))

        fresh = {"route": "faq", "measure": "P@5"}
        await until(lambda: registry.get_sample_value(samples, fresh) == 2)
        assert registry.get_sample_value(samples, old) is None


def broken() -> Settings:
    """A file that is wrong now."""
    raise ConfigError("file", ["something: is wrong"])


@pytest.mark.parametrize(
    "read", [broken, lambda: settings(**FAST).model_copy(update={"events": Events(shards=2)})]
)
async def test_a_reload_that_fails_keeps_the_last_configuration(
    redis_url: str, client: Redis, read: Callable[[], Settings]
) -> None:
    """
    Whether the file is wrong or asks for what needs a restart; a metric says so.
    """
    async with service(redis_url, read) as (made, registry), running(made):
        made.reload()
        reloaded = "shadowrank_config_reload_total"
        await until(lambda: registry.get_sample_value(reloaded, {"outcome": "failed"}) == 1)
        await write(client, recent(1))

        labels = {"route": "faq", "measure": "RR"}
        samples = "shadowrank_served_relevance_samples"
        await until(lambda: registry.get_sample_value(samples, labels) == 1)
