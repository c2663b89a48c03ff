"""The demo's folder."""

from __future__ import annotations

import asyncio
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from demo.place import InUse, taken


async def test_a_place_is_unpacked_and_its_state_empty(tmp_path: Path):
    """
    Files are kept from run to run, the state is not.
    """
    async with taken(tmp_path / "demo") as place:
        (place.state / "left").touch()
        (place.folder / "cache").mkdir()

    async with taken(tmp_path / "demo") as place:
        assert [] == list(place.state.iterdir())
        assert (place.folder / "cache").is_dir()
        assert (place.folder / "corpus.jsonl").is_file()


async def test_two_demos_do_not_share_a_folder(tmp_path: Path):
    """
    The second one is told how to have another.
    """
    async with taken(tmp_path):
        with pytest.raises(InUse, match="DEMO_FOLDER"):
            async with taken(tmp_path):
                pass


async def test_the_token_is_new_each_time_and_only_for_its_owner(tmp_path: Path):
    """
    Nobody else on the machine may reload.
    """
    async with taken(tmp_path) as first:
        assert first.token == first.token_file.read_text()
        assert 0o600 == stat.S_IMODE(first.token_file.stat().st_mode)
    async with taken(tmp_path) as second:
        assert first.token != second.token == second.token_file.read_text()


async def test_nothing_is_left_that_a_later_command_could_use(tmp_path: Path):
    """
    Neither ids that may be another program's by then, nor the token; also after a crash.
    """
    (tmp_path / "pids").write_text("1 2")

    async with taken(tmp_path) as place:
        assert not place.pids.exists()
        place.pids.write_text("3 4")

    assert not place.pids.exists()
    assert not place.token_file.exists()


CRASH = """\
import asyncio, os, sys
from pathlib import Path
from proxy.events.redis_server import EMBEDDED, opened

async def start():
    async with opened(EMBEDDED, Path(sys.argv[1])):
        os._exit(0)

asyncio.run(start())
"""


def alive(process: int) -> bool:
    """Does it run? One that has ended may be listed until it is reaped, without a command."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes() != b""
    except FileNotFoundError:
        return False


async def test_a_redis_that_a_crash_left_is_stopped(tmp_path: Path, redis_server: str):
    """
    It would go on for ever over a folder that is gone.
    """
    state = tmp_path / "run"
    await asyncio.to_thread(subprocess.run, (sys.executable, "-c", CRASH, str(state)), check=True)
    process = int((state / "redis.pid").read_text())
    assert alive(process)

    async with taken(tmp_path) as place:
        assert [] == list(place.state.iterdir())
        assert not alive(process)
