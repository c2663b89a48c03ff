"""`once`: read, print, write nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry
from redis.asyncio import Redis

from config.schema import Events
from evaluator.connecting import connected
from evaluator.metrics import Metrics
from evaluator.once import NoLog, once
from evaluator.report import CAVEAT
from evaluator.route import open_routes
from tests.evaluator.made import settings, write
from tests.evaluator.test_route import recent


async def dump(client: Redis) -> dict[bytes, bytes]:
    """Everything in Redis."""
    return {key: await client.dump(key) for key in await client.keys()}


async def test_it_says_what_was_committed_and_what_came_since(
    redis_url: str, client: Redis
) -> None:
    """
    And what the numbers can't tell; Redis is as it was.
    """
    made = settings().model_copy(update={"events": Events(redis=redis_url, shards=1)})
    await write(client, recent(2))
    (route,) = open_routes(client, made, Metrics(CollectorRegistry()))
    await route.round()
    await write(client, recent(3, first=2))
    before = await dump(client)

    said = await once(made, {})

    assert "route faq" in said
    assert "served  5" in said
    assert said.endswith(CAVEAT)
    assert before == await dump(client)


@pytest.mark.parametrize("exists", [True, False])
async def test_a_private_redis_is_not_begun(
    exists: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Where none ever ran, as in the wrong current folder: it names the folder and leaves no trace.
    """
    monkeypatch.chdir(tmp_path)
    if exists:
        (tmp_path / "state").mkdir()
    before = sorted(tmp_path.rglob("*"))
    made = settings().model_copy(update={"state_dir": "state"})

    with pytest.raises(NoLog, match=re.escape(f"folder {tmp_path / 'state'}:")):
        await once(made, {})
    assert before == sorted(tmp_path.rglob("*"))


async def test_a_private_redis_is_read_running_or_not(redis_server: str, tmp_path: Path) -> None:
    """
    It is started where it isn't running.
    """
    made = settings().model_copy(update={"state_dir": str(tmp_path)})
    async with connected(made, {}) as clients:
        await write(clients.data, recent(2))
        running = await once(made, {})
    stopped = await once(made, {})

    assert "served  2" in running
    assert "served  2" in stopped


async def test_an_empty_log_is_no_error(redis_url: str, client: Redis) -> None:
    """
    It says that there is nothing.
    """
    made = settings().model_copy(update={"events": Events(redis=redis_url, shards=3)})

    assert "nothing yet" in await once(made, {})
    assert {} == await dump(client)
