"""Tests of proxy.events.locks, with real files and a real process."""

from __future__ import annotations

import asyncio
import stat
import subprocess
from pathlib import Path

from proxy.events.locks import PAUSE, lock, lock_file, try_lock


def test_two_descriptors_exclude_each_other_until_one_is_closed(tmp_path: Path) -> None:
    """
    Also within one process; whoever closes unlocks, and the file is its owner's alone.
    """
    with lock_file(tmp_path / "a") as other:
        with lock_file(tmp_path / "a") as one:
            assert (True, False) == (try_lock(one), try_lock(other))
        assert try_lock(other)

    assert 0o600 == stat.S_IMODE((tmp_path / "a").stat().st_mode)


async def test_a_lock_is_waited_for(tmp_path: Path) -> None:
    """
    However long somebody else holds it, and no longer.
    """
    with lock_file(tmp_path / "a") as waiting:
        with lock_file(tmp_path / "a") as held:
            await lock(held)
            task = asyncio.create_task(lock(waiting))
            await asyncio.sleep(5 * PAUSE)

            assert not task.done()
        await asyncio.wait_for(task, 5)


def test_a_child_keeps_what_it_inherits_until_it_dies(tmp_path: Path) -> None:
    """
    That is how a server tells that it lives, whoever started it, and however it ends.
    """
    with lock_file(tmp_path / "a") as given:
        assert try_lock(given)
        child = subprocess.Popen(["sleep", "60"], pass_fds=(given,))
    with lock_file(tmp_path / "a") as other:
        try:
            assert not try_lock(other)
        finally:
            child.kill()
            child.wait()
        assert try_lock(other)
