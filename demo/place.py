"""The folder of the demo: one run at a time, its state new each time, files and index kept."""

from __future__ import annotations

import asyncio
import fcntl
import os
import secrets
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from demo import collection
from proxy.events.redis_server import EMBEDDED, opened


class InUse(Exception):
    """Another demo runs in the folder."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where things are, and the token that opens the admin API."""

    folder: Path
    token: str

    @property
    def config(self) -> Path:
        """The configuration that the services read; edit it and reload."""
        return self.folder / "shadowrank.yaml"

    @property
    def token_file(self) -> Path:
        """Where the token is kept while the demo runs; only its owner can read it."""
        return self.folder / "admin-token"

    @property
    def pids(self) -> Path:
        """The two services' process ids, while they run: `kill -HUP $(cat …)` has both reload."""
        return self.folder / "pids"

    @property
    def state(self) -> Path:
        """The services' state folder, with Redis and its data, and their logs."""
        return self.folder / "run"


@asynccontextmanager
async def taken(folder: Path) -> AsyncIterator[Place]:
    """Have `folder` for oneself, unpacked and with an empty state. Raises InUse."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InUse(
                f"another demo is running in {folder}; DEMO_FOLDER names another folder"
            ) from None
        place = Place(folder, secrets.token_urlsafe(24))
        await _forget(place.state)
        _leave(place)
        await asyncio.to_thread(collection.unpack, folder)
        place.state.mkdir(mode=0o700)
        _keep_secret(place.token_file, place.token)
        try:
            yield place
        finally:
            _leave(place)


def _leave(place: Place) -> None:
    """Remove what is of no use after a run: its ids may by then be another program's."""
    for path in (place.token_file, place.pids):
        path.unlink(missing_ok=True)


async def _forget(state: Path) -> None:
    """Remove what the last run left; a Redis that survived a crash is stopped first."""
    if (state / "redis.pid").exists():
        async with opened(EMBEDDED, state):
            pass
    shutil.rmtree(state, ignore_errors=True)


def _keep_secret(path: Path, token: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(token)
