"""Clients of the event log's Redis."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final, NamedTuple

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from config.schema import Settings
from proxy.events.redis_server import opened

TIMEOUT_SECONDS: Final = 10.0


class Clients(NamedTuple):
    """`data` for the log and the sums; `lock` is one connection, whose life the lock is tied to."""

    data: Redis
    lock: Redis


@asynccontextmanager
async def connected(settings: Settings, environ: Mapping[str, str]) -> AsyncIterator[Clients]:
    """Clients of the configured Redis, which need not answer yet; raises `RedisMissing`.

    They don't retry: the next round does, from what is committed then.
    """
    variable = settings.events.password_env
    password = environ.get(variable) if variable else None
    async with AsyncExitStack() as stack:
        where = opened(settings.events.redis, Path(settings.state_dir))
        url = await stack.enter_async_context(where)
        data, lock = _client(url, password), _client(url, password, single=True)
        for client in (data, lock):  # entering a client would connect it
            stack.push_async_callback(client.aclose)
        yield Clients(data, lock)


def _client(url: str, password: str | None, *, single: bool = False) -> Redis:
    return Redis.from_url(
        url,
        password=password,
        single_connection_client=single,
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
