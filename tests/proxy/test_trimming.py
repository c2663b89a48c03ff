from __future__ import annotations

import asyncio
import doctest

import pytest
from redis.asyncio import Redis

from proxy import trimming
from proxy.events.keys import REREAD_SLACK_SECONDS, log_key, position_key, trimmed_key
from proxy.trimming import Trimmer

STREAM = ("faq", 0)
LOG = log_key(*STREAM)
SECOND = 1_000


async def fill(redis: Redis, records: int, size: int = 100) -> None:
    """One record a second, from second 1 on."""
    async with redis.pipeline(transaction=False) as pipe:
        for n in range(1, records + 1):
            pipe.xadd(LOG, {"r": b"x" * size}, id=f"{n * SECOND}-0")
        await pipe.execute()


async def left(redis: Redis) -> list[int]:
    return [int(entry[0].split(b"-")[0]) // SECOND for entry in await redis.xrange(LOG)]


def test_its_examples_are_true():
    """
    The docstrings say what it does.
    """
    assert 0 == doctest.testmod(trimming).failed


async def test_what_is_read_goes_when_the_session_is_over(redis_url: str):
    """
    Records older than what a restarted evaluator reads again go, node by node, and no other.
    """
    async with Redis.from_url(redis_url) as redis:
        await fill(redis, 1_000)
        await redis.set(position_key(*STREAM), f"{900 * SECOND}-0")

        await Trimmer(redis, session=100.0, max_memory=1 << 30).once([STREAM])

        needed = 900 - 100 - REREAD_SLACK_SECONDS
        assert needed - 100 <= (await left(redis))[0] <= needed
        assert None is await redis.get(trimmed_key(*STREAM))


async def test_without_a_reader_nothing_goes(redis_url: str):
    """
    Before an evaluator has ever read, everything is unread.
    """
    async with Redis.from_url(redis_url) as redis:
        await fill(redis, 500)

        await Trimmer(redis, session=0.0, max_memory=1 << 30).once([STREAM])

        assert 500 == await redis.xlen(LOG)


async def test_memory_has_a_bound_and_read_records_go_first(redis_url: str):
    """
    Where the read ones suffice, no unread record is lost, even within the session.
    """
    async with Redis.from_url(redis_url) as redis:
        await fill(redis, 1_000, size=1_000)
        await redis.set(position_key(*STREAM), f"{900 * SECOND}-0")

        await Trimmer(redis, session=10_000.0, max_memory=600_000).once([STREAM])

        assert 901 == (await left(redis))[0]
        assert None is await redis.get(trimmed_key(*STREAM))


async def test_unread_records_that_go_are_counted_exactly(redis_url: str):
    """
    Under pressure the oldest go; how many, the evaluator can tell.
    """
    async with Redis.from_url(redis_url) as redis:
        await fill(redis, 1_000, size=1_000)

        await Trimmer(redis, session=0.0, max_memory=300_000).once([STREAM])

        kept = await redis.xlen(LOG)
        assert 100 < kept < 400
        assert 1_000 - kept == int(await redis.get(trimmed_key(*STREAM)))
        assert 1_000 == (await left(redis))[-1]


async def test_a_stream_that_is_not_there_is_no_error(redis_url: str):
    """
    A route nobody has searched yet has nothing to trim.
    """
    async with Redis.from_url(redis_url) as redis:
        await Trimmer(redis, session=0.0, max_memory=1).once([STREAM, ("other", 3)])

        assert [] == await redis.keys()


async def test_it_outlives_a_redis_that_is_gone(monkeypatch: pytest.MonkeyPatch, tmp_path, caplog):
    """
    It asks again at the next round, and says so once.
    """
    monkeypatch.setattr(trimming, "PERIOD", 0.01)
    async with Redis.from_url(f"unix://{tmp_path / 'nobody.sock'}") as redis:
        task = asyncio.create_task(Trimmer(redis, 0.0, 1).run(lambda: [STREAM]))
        await asyncio.sleep(0.2)

        assert not task.done()
        task.cancel()

    assert ["log not trimmed"] == [record.message for record in caplog.records]
