"""The lock against a second evaluator."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from redis.asyncio import Redis

from evaluator.lease import TTL_SECONDS, Lease
from proxy.events.keys import evaluator_key
from tests.evaluator.process import server


def connection(url: str) -> Redis:
    """A client of one connection."""
    return Redis.from_url(url, single_connection_client=True)


async def test_a_second_one_is_refused(redis_url: str) -> None:
    """
    As long as the first is connected; it is told which route is taken.
    """
    async with connection(redis_url) as one, connection(redis_url) as other:
        first, second = Lease(one), Lease(other)

        assert [None, "b", None] == [
            await first.renew(["b"], 60.0),
            await second.renew(["a", "b"], 60.0),
            await first.renew(["b"], 60.0),
        ]


async def test_one_that_was_killed_holds_nothing(redis_url: str) -> None:
    """
    Its connection is gone, so its successor need not wait.
    """
    async with connection(redis_url) as one:
        await Lease(one).renew(["a"], 60.0)
    async with connection(redis_url) as other:
        assert await Lease(other).renew(["a"], 60.0) is None


async def test_a_dead_holder_is_nobody_else_once_redis_was_restarted(
    redis_server: str, tmp_path: Path
) -> None:
    """
    Redis numbers its connections from the beginning again, and the lock is in its file.
    """
    url = f"unix://{tmp_path}/redis.sock"
    with server(redis_server, tmp_path):
        for _ in range(20):  # a number that is given again in any version
            async with connection(url) as early:
                await early.ping()
        async with connection(url) as one:
            await Lease(one).renew(["a"], 60.0)
            number = await one.client_id()
    with server(redis_server, tmp_path) as client:
        async with AsyncExitStack() as stack:
            others = [await stack.enter_async_context(connection(url)) for _ in range(number)]
            assert number in [await other.client_id() for other in others]
            assert client.exists(evaluator_key("a"))

            async with connection(url) as newcomer:
                assert await Lease(newcomer).renew(["a"], 60.0) is None


async def test_a_released_lock_is_free(redis_url: str) -> None:
    """
    While its holder is still connected.
    """
    async with connection(redis_url) as one, connection(redis_url) as other:
        first = Lease(one)
        await first.renew(["a"], 60.0)
        await first.release()

        assert await Lease(other).renew(["a"], 60.0) is None


async def test_routes_that_are_gone_are_given_up(redis_url: str) -> None:
    """
    As after a reload.
    """
    async with connection(redis_url) as one, connection(redis_url) as other:
        first = Lease(one)
        await first.renew(["a", "b"], 60.0)
        await first.renew(["b"], 60.0)

        assert await Lease(other).renew(["a"], 60.0) is None


async def test_a_holder_that_reconnected_still_holds(redis_url: str) -> None:
    """
    Its new connection bears the same name.
    """
    async with connection(redis_url) as one, connection(redis_url) as other:
        first = Lease(one)
        await first.renew(["a"], 60.0)
        await one.connection.disconnect()  # type: ignore[union-attr]  # it is connected

        assert await first.renew(["a"], 60.0) is None
        assert "a" == await Lease(other).renew(["a"], 60.0)


@pytest.mark.parametrize(("interval", "seconds"), [(1.0, TTL_SECONDS), (300.0, 900)])
async def test_a_host_that_vanished_loses_it_in_time(
    redis_url: str, interval: float, seconds: int
) -> None:
    """
    A minute, or three rounds where they are far apart.
    """
    async with connection(redis_url) as one:
        await Lease(one).renew(["a"], interval)

        assert seconds - 2 <= await one.ttl(evaluator_key("a")) <= seconds


async def test_where_connections_may_not_be_listed_the_key_decides(redis_url: str) -> None:
    """
    A Redis user without the right to CLIENT LIST takes every key for held.
    """
    async with connection(redis_url) as one:
        await one.acl_setuser(
            "restricted", enabled=True, nopass=True, keys=["*"], categories=["+@all"],
            commands=["-client", "+client|setname"],
        )  # fmt: skip
        async with connection(redis_url) as other:
            await other.auth("any", "restricted")
            gone = Lease(one)
            await gone.renew(["a"], 60.0)

            assert "a" == await Lease(other).renew(["a"], 60.0)
        await one.acl_deluser("restricted")
