"""What tests share: a real Redis, the optional data, and how a missing tool is treated."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from redis import Redis

from proxy.events.redis_server import EMBEDDED, RedisMissing, find_server, opened

Require = Callable[[object, str, str], None]


def _require(found: object, what: str, remedy: str) -> None:
    """Go on only with what was found: skip on a laptop; fail in CI, which leaves nothing out."""
    if found:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing: {remedy}", pytrace=False)
    pytest.skip(f"{what} is missing: {remedy}")


@pytest.fixture(scope="session")
def require() -> Require:
    """`require(found, what, remedy)`: skip the test unless `found`; in CI, fail it."""
    return _require


@pytest.fixture(scope="session")
def redis_server(require: Require) -> str:
    """The path of a real `redis-server`."""
    try:
        return find_server()
    except RedisMissing as exc:
        require(None, "redis-server", str(exc))
        raise


@pytest.fixture(scope="session")
def _session_redis(redis_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("redis")
    server = opened(EMBEDDED, folder)
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        url = runner.run(server.__aenter__())
        yield url
        runner.run(server.__aexit__(None, None, None))


@pytest.fixture
def redis_url(_session_redis: str) -> str:
    """The URL of a real and empty Redis, one server for the whole run."""
    with Redis.from_url(_session_redis) as client:
        client.flushall()
    return _session_redis


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of public corpora and judgments, which a clone need not have."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SHADOWRANK_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"no data in {folder} (SHADOWRANK_DATA names another folder)")
    return folder
