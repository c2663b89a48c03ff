"""Redis commands by name."""

from __future__ import annotations

import pytest
from redis.asyncio import Redis
from redis.exceptions import WatchError

from evaluator.asking import ask, begin


async def test_answers_are_bytes(client: Redis) -> None:
    """
    None where there is nothing.
    """
    await client.set("a", "1")

    assert (b"1", None) == (await ask(client, "GET", "a"), await ask(client, "GET", "b"))


async def test_what_was_watched_must_not_change(client: Redis) -> None:
    """
    Between the first answer and the end of the transaction.
    """
    async with client.pipeline(transaction=True) as writing:
        await writing.watch("a")
        await ask(writing, "GET", "a")
        await client.set("a", "theirs")
        begin(writing)
        writing.set("a", "ours")

        with pytest.raises(WatchError):
            await writing.execute()
    assert b"theirs" == await ask(client, "GET", "a")
