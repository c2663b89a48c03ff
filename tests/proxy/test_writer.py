from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from proxy.events.keys import SHARDS, log_key
from proxy.events.records import Event
from proxy.metrics import LOG_OUTCOMES, Metrics
from proxy.writer import Writer


def event(n: int, size: int = 1) -> Event:
    return Event(b"n" * 16, f"{n}" * size, "click", n)


def booked(writer_metrics: Metrics) -> dict[str, float]:
    value = writer_metrics.registry.get_sample_value
    found = {
        outcome: value("shadowrank_log_records_total", {"kind": "event", "outcome": outcome})
        for outcome in LOG_OUTCOMES
    }
    return {outcome: n for outcome, n in found.items() if n}


def client(url: str) -> Redis:
    pool = BlockingConnectionPool.from_url(
        url, max_connections=2, socket_timeout=0.2, socket_connect_timeout=0.2,
        retry=Retry(NoBackoff(), 0),
    )  # fmt: skip
    return Redis.from_pool(pool)


@asynccontextmanager
async def writing(
    url: str, metrics: Metrics, shards: int = 2, seconds: float = 2.0, **bounds: int
) -> AsyncIterator[Writer]:
    async with client(url) as redis:
        writer = Writer(redis, shards, metrics, **bounds)
        task = asyncio.create_task(writer.run())
        yield writer
        await writer.close(task, seconds)


@pytest.fixture
def metrics() -> Metrics:
    return Metrics(CollectorRegistry())


@pytest.fixture
def nowhere(tmp_path: Path) -> str:
    """The address of a Redis that isn't there."""
    return f"unix://{tmp_path / 'nobody.sock'}"


async def test_everything_offered_is_stored_in_order(redis_url: str, metrics: Metrics):
    """
    More than a batch, on two shards, each in the order it was offered.
    """
    async with writing(redis_url, metrics) as writer:
        for n in range(1_200):
            assert writer.offer("faq", n % 2, event(n))

    async with client(redis_url) as redis:
        lengths = [await redis.xlen(log_key("faq", shard)) for shard in (0, 1)]

    assert [600, 600] == lengths
    assert {"offered": 1_200, "stored": 1_200} == booked(metrics)


async def test_the_buffer_is_bounded_by_records(nowhere: str, metrics: Metrics):
    """
    What doesn't fit is refused at once and counted; at the end the rest is counted, too.
    """
    async with writing(nowhere, metrics, seconds=0.05, max_records=10) as writer:
        taken = [writer.offer("faq", 0, event(n)) for n in range(15)]

        assert writer.full
        assert [True] * 10 + [False] * 5 == taken
        assert {"offered": 15, "dropped_full": 5} == booked(metrics)
        assert 10 == writer.buffered

    assert {"offered": 15, "dropped_full": 5, "dropped_shutdown": 10} == booked(metrics)


async def test_the_buffer_is_bounded_by_bytes(nowhere: str, metrics: Metrics):
    """
    A few large records fill it as well.
    """
    async with writing(nowhere, metrics, seconds=0.0, max_bytes=3_000) as writer:
        taken = [writer.offer("faq", 0, event(1, size=1_000)) for _ in range(5)]

    assert [True] * 3 + [False] * 2 == taken


async def test_what_waited_is_stored_once_redis_is_there(
    redis_url: str, nowhere: str, metrics: Metrics, eventually
):
    """
    Nothing is lost while Redis is away for as long as the buffer holds, and it recovers by itself.
    """
    async with client(nowhere) as away, client(redis_url) as redis:
        writer = Writer(away, 2, metrics)
        task = asyncio.create_task(writer.run())
        writer.offer("faq", 0, event(1))
        await asyncio.sleep(0.2)
        assert 1 == writer.buffered

        away.connection_pool, _ = redis.connection_pool, away.connection_pool
        await eventually(lambda: not writer.buffered)
        await writer.close(task, 1.0)

    assert {"offered": 1, "stored": 1} == booked(metrics)


async def test_a_record_that_redis_will_never_take_is_dropped_alone(
    redis_url: str, metrics: Metrics
):
    """
    A stream's key that holds something else costs its records and no others.
    """
    async with client(redis_url) as redis:
        await redis.set(log_key("faq", 0), "no stream")

    async with writing(redis_url, metrics) as writer:
        for n in range(4):
            writer.offer("faq", n % 2, event(n))

    assert {"offered": 4, "stored": 2, "dropped_redis": 2} == booked(metrics)


async def test_a_full_redis_keeps_records_waiting(redis_url: str, metrics: Metrics, eventually):
    """
    Out of memory is no verdict on a record: it is stored as soon as there is room.
    """
    async with client(redis_url) as redis:
        await redis.set(SHARDS, 2)
        await redis.config_set("maxmemory", 1)
        try:
            async with writing(redis_url, metrics) as writer:
                writer.offer("faq", 0, event(1))
                await asyncio.sleep(0.3)
                assert 1 == writer.buffered

                await redis.config_set("maxmemory", 0)
                await eventually(lambda: not writer.buffered)
        finally:
            await redis.config_set("maxmemory", 0)

    assert {"offered": 1, "stored": 1} == booked(metrics)


async def test_another_number_of_shards_is_never_written_to(redis_url: str, metrics: Metrics):
    """
    A log begun otherwise stays as it is; the loss is counted.
    """
    async with client(redis_url) as redis:
        await redis.set(SHARDS, 7)

        async with writing(redis_url, metrics) as writer:
            writer.offer("faq", 0, event(1))

        assert 0 == await redis.xlen(log_key("faq", 0))
    assert {"offered": 1, "dropped_redis": 1} == booked(metrics)


async def test_after_the_end_nothing_is_taken(redis_url: str, metrics: Metrics):
    """
    An offer after the flush is a counted loss.
    """
    async with writing(redis_url, metrics) as writer:
        writer.offer("faq", 0, event(1))

    assert not writer.offer("faq", 0, event(2))
    assert {"offered": 2, "stored": 1, "dropped_shutdown": 1} == booked(metrics)


async def test_a_hung_redis_delays_no_offer(metrics: Metrics):
    """
    A server that accepts and never replies holds the writer up, and nobody else.
    """

    async def swallow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(1_000):
            pass
        writer.close()

    async with await asyncio.start_server(swallow, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with writing(f"redis://127.0.0.1:{port}", metrics, seconds=0.1) as writer:
            loop = asyncio.get_running_loop()
            started = loop.time()
            for n in range(100):
                writer.offer("faq", 0, event(n))
                await asyncio.sleep(0)
            assert loop.time() - started < 0.1
            await asyncio.sleep(0.3)

    assert {"offered": 100, "dropped_shutdown": 100} == booked(metrics)
