"""Clients of the event log's Redis."""

from __future__ import annotations

from pathlib import Path

from config.schema import Events
from evaluator.connecting import connected
from tests.evaluator.made import settings


async def test_a_url_is_connected_to(redis_url: str) -> None:
    """
    One client for data, one connection for the lock.
    """
    made = settings().model_copy(update={"events": Events(redis=redis_url)})
    async with connected(made, {}) as clients:
        assert await clients.data.ping()
        ids = {await clients.lock.client_id() for _ in range(3)}

    assert 1 == len(ids)


async def test_a_private_redis_is_started(redis_server: str, tmp_path: Path) -> None:
    """
    In the state folder.
    """
    made = settings().model_copy(update={"state_dir": str(tmp_path)})
    async with connected(made, {}) as clients:
        assert await clients.data.ping()
        assert (tmp_path / "redis.sock").exists()


async def test_the_password_comes_from_the_environment(redis_url: str) -> None:
    """
    The variable that the configuration names.
    """
    named = Events(redis=redis_url, password_env="REDIS_PASSWORD")
    made = settings().model_copy(update={"events": named})
    async with connected(made, {"REDIS_PASSWORD": "secret"}) as clients:
        given = clients.data.connection_pool.connection_kwargs["password"]

    assert "secret" == given


async def test_a_redis_that_does_not_answer_is_no_error_yet() -> None:
    """
    The first round will find out, and the next ones try again.
    """
    made = settings().model_copy(update={"events": Events(redis="unix:///nowhere/redis.sock")})
    async with connected(made, {}) as clients:
        assert clients.data is not clients.lock
