"""The number of shards, agreed on once for a Redis: it decides where a record's stream is."""

from __future__ import annotations

from typing import Final

from redis.asyncio import Redis
from redis.exceptions import ResponseError

from proxy.events.keys import SHARDS

LONGEST: Final = 10
"""In digits; more are no number of shards."""


class ShardsChanged(Exception):
    """The log was begun with another number of shards: going on would lose half. Exit code 2."""


async def claim(redis: Redis, shards: int) -> None:
    """Write the number down if nobody has yet, else compare.

    Raises `ShardsChanged` where it differs or the key holds no number, and redis-py's errors where
    Redis doesn't answer.
    """
    await redis.set(SHARDS, shards, nx=True)
    begun = await _begun(redis, shards)
    if begun != shards:
        raise ShardsChanged(
            f"events.shards: {shards} is not {begun}, with which the log in this Redis was begun; "
            f"set {begun}, or start with an empty Redis"
        )


async def _begun(redis: Redis, shards: int) -> int:
    """The number that is written down: only we write the key, but anybody can."""
    try:
        raw = await redis.get(SHARDS)
    except ResponseError as exc:
        if not str(exc).startswith("WRONGTYPE"):
            raise
        raise _foreign(f"a {_text(await redis.type(SHARDS))}") from exc
    text = str(shards) if raw is None else _text(raw)
    if not (text.isascii() and text.isdecimal() and len(text) <= LONGEST):
        raise _foreign(repr(text[:100]))
    return int(text)


def _foreign(held: str) -> ShardsChanged:
    return ShardsChanged(
        f"the key {SHARDS!r} in this Redis holds {held}, not a number of shards: something else "
        "wrote it; set it to the number with which the log was begun, or use another Redis"
    )


def _text(raw: bytes | str) -> str:
    """What Redis says, whether or not the client decodes it; bytes that are no text stay seen."""
    return raw if isinstance(raw, str) else raw.decode(errors="backslashreplace")
