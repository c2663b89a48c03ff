"""Tests of proxy.events.shards, on a real Redis."""

from __future__ import annotations

import pytest
from redis.asyncio import Redis
from redis.exceptions import ResponseError

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


@pytest.mark.parametrize("value", ["x", "", "4.0", "-4", "²", b"\xff", "9" * 5_000])
async def test_what_is_no_number_is_refused_with_key_and_value(
    redis_url: str, value: str | bytes
) -> None:
    """
    Somebody else wrote the key: it says which key, what it holds, and changes nothing.
    """
    async with Redis.from_url(redis_url) as redis:
        await redis.set(SHARDS, value)
        with pytest.raises(ShardsChanged, match=r"'shadowrank:shards' .* holds '.{0,100}', not a"):
            await claim(redis, 4)

        assert (value if isinstance(value, bytes) else value.encode()) == await redis.get(SHARDS)


@pytest.mark.parametrize("decode", [False, True])
async def test_a_value_of_another_type_is_refused(redis_url: str, decode: bool) -> None:
    """
    A list isn't a number either; it is named as what it is, however the client reads.
    """
    async with Redis.from_url(redis_url, decode_responses=decode) as redis:
        await redis.rpush(SHARDS, "4")
        with pytest.raises(ShardsChanged, match="'shadowrank:shards' in this Redis holds a list"):
            await claim(redis, 4)


async def test_a_redis_that_refuses_is_no_other_number(redis_url: str) -> None:
    """
    A reader without the right to the key gets Redis's own words, not ours.
    """
    async with Redis.from_url(redis_url) as admin:
        await admin.acl_setuser(
            "reader", enabled=True, nopass=True, keys=["*"], commands=["+set"], reset=True
        )
        try:
            async with Redis.from_url(redis_url, username="reader", password="") as redis:
                with pytest.raises(ResponseError, match=r"'get'|no permissions|NOPERM"):
                    await claim(redis, 4)
        finally:
            await admin.acl_deluser("reader")
