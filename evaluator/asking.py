"""Redis commands by name, answered in bytes, where redis-py's own methods promise text, too."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.client import Pipeline


async def ask(connection: Redis, *command: str | bytes | int | float) -> Any:
    """The answer to a command; on a pipeline only while it watches and has not begun."""
    send: Callable[..., Awaitable[Any]] = connection.execute_command
    return await send(*command)


def begin(watching: Pipeline) -> None:
    """From here on the pipeline queues; executing it fails if a watched key has changed."""
    multi: Callable[[], None] = watching.multi
    multi()
