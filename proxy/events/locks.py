"""Locks between processes: a file that is locked as long as its descriptor is open.

The kernel drops the locks of a process that dies; a child that inherits a descriptor keeps its
lock.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

PAUSE: Final = 0.02
"""Seconds between two looks at what another process does."""


@contextmanager
def lock_file(path: Path) -> Iterator[int]:
    """An open descriptor to lock; closing it unlocks."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


async def lock(descriptor: int) -> None:
    """Lock it exclusively, however long somebody else holds it."""
    while not try_lock(descriptor):
        await asyncio.sleep(PAUSE)


def try_lock(descriptor: int) -> bool:
    """Lock it exclusively unless somebody else holds it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
