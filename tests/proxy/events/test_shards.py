"""Tests of proxy.events.shards, on a real Redis."""

from __future__ import annotations

import pytest
from redis.asyncio import Redis

from proxy.events.keys import SHARDS
from proxy.events.shards import ShardsChanged, claim


async def test_the_first_number_stays(redis_url: str) -> None:
    """
    Whoever comes first writes it down; the same number is fine ever after.
    """
    async with Redis.from_url(redis_url) as redis:
        await claim(redis, 4)
        await claim(redis, 4)

        assert b"4" == await redis.get(SHARDS)


async def test_another_number_is_refused_with_what_to_do(redis_url: str) -> None:
    """
    It names both numbers, and changes nothing.
    """
    async with Redis.from_url(redis_url) as redis:
        await claim(redis, 4)
        with pytest.raises(ShardsChanged, match=r"8 is not 4.*set 4"):
            await claim(redis, 8)

        assert b"4" == await redis.get(SHARDS)
