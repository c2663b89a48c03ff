"""The number of shards, agreed on once for a Redis: it decides where a record's stream is."""

from __future__ import annotations

from redis.asyncio import Redis

from proxy.events.keys import SHARDS


class ShardsChanged(Exception):
    """The log was begun with another number of shards: going on would lose half. Exit code 2."""


async def claim(redis: Redis, shards: int) -> None:
    """Write the number down if nobody has yet, else compare.

    Raises `ShardsChanged` where it differs, and redis-py's errors where Redis doesn't answer.
    """
    await redis.set(SHARDS, shards, nx=True)
    begun = int(await redis.get(SHARDS) or shards)
    if begun != shards:
        raise ShardsChanged(
            f"events.shards: {shards} is not {begun}, with which the log in this Redis was begun; "
            f"set {begun}, or start with an empty Redis"
        )
