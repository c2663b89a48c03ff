"""A cache of folders on disk: each is built once, aside, and appears whole or not at all.

Entries are never changed; what no configuration asks for any more may be deleted by hand.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from proxy.backends.embedded.progress import Progress

_POLL: Final = 0.05


def obtain(cache: Path, key: str, build: Callable[[Path], None], progress: Progress) -> Path:
    """The folder called `key`, filled by `build` if absent. One process builds, others wait."""
    entry = cache / key
    if entry.is_dir():
        return entry
    cache.mkdir(parents=True, exist_ok=True)
    with _locked(cache / f"{key}.lock", progress):
        if not entry.is_dir():
            unfinished = cache / f"{key}.unfinished"
            # Under the lock, what is there was left by a process that died while building.
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir()
            try:
                build(unfinished)
                unfinished.rename(entry)
            finally:
                shutil.rmtree(unfinished, ignore_errors=True)
    return entry


def discard(cache: Path, key: str, progress: Progress) -> None:
    """Remove an entry that can't be read."""
    with _locked(cache / f"{key}.lock", progress):
        shutil.rmtree(cache / key, ignore_errors=True)


@contextmanager
def _locked(path: Path, progress: Progress) -> Iterator[None]:
    """Hold the lock file at `path`; the kernel lets go of it when its holder dies."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        while not _taken(handle):
            progress.check()
            time.sleep(_POLL)
        yield
    finally:
        os.close(handle)


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
