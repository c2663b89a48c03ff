"""The cache of folders: built once, whole or not at all, by one process at a time."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from proxy.backends.embedded.cache import discard, obtain
from proxy.backends.embedded.progress import Progress, Stopped


def write_one(folder: Path) -> None:
    """A build."""
    (folder / "x").write_text("1")


def test_a_folder_is_built_once(tmp_path: Path) -> None:
    """
    The second time it is there, and `build` isn't asked.
    """
    builds: list[Path] = []

    for _ in range(2):
        entry = obtain(
            tmp_path / "c", "k", lambda f: (builds.append(f), write_one(f))[1], Progress()
        )

    assert "1" == (entry / "x").read_text()
    assert 1 == len(builds)


def test_a_failed_build_leaves_nothing(tmp_path: Path) -> None:
    """
    Neither the entry nor what was begun; the next try starts afresh.
    """

    def half(folder: Path) -> None:
        write_one(folder)
        raise ValueError("half-way")

    with pytest.raises(ValueError, match="half-way"):
        obtain(tmp_path, "k", half, Progress())

    assert ["k.lock"] == [path.name for path in tmp_path.iterdir()]
    assert (obtain(tmp_path, "k", write_one, Progress()) / "x").exists()


def test_what_a_dead_process_left_is_cleared(tmp_path: Path) -> None:
    """
    A kill in the middle of a build costs the build, not the next one.
    """
    (tmp_path / "k.unfinished").mkdir()
    (tmp_path / "k.unfinished" / "rubbish").touch()

    entry = obtain(tmp_path, "k", write_one, Progress())

    assert ["x"] == [path.name for path in entry.iterdir()]
    assert not (tmp_path / "k.unfinished").exists()


def test_of_two_builders_one_waits(tmp_path: Path) -> None:
    """
    Eight at once, one build.
    """
    builds = []

    def slow(folder: Path) -> None:
        builds.append(folder)
        time.sleep(0.1)
        write_one(folder)

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: obtain(tmp_path, "k", slow, Progress()), range(8)))

    assert [tmp_path / "k"] * 8 == found
    assert 1 == len(builds)


def test_a_waiter_can_be_stopped(tmp_path: Path) -> None:
    """
    Waiting for another's build ends when whoever waits is gone.
    """
    stop, building, done = threading.Event(), threading.Event(), threading.Event()

    def until_done(_: Path) -> None:
        building.set()
        done.wait(5)

    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(obtain, tmp_path, "k", until_done, Progress())
        building.wait(5)
        stop.set()
        with pytest.raises(Stopped):
            obtain(tmp_path, "k", write_one, Progress(stop))
        done.set()
        first.result()


def test_a_discarded_entry_is_built_again(tmp_path: Path) -> None:
    """
    What can't be read makes room.
    """
    obtain(tmp_path, "k", write_one, Progress())
    discard(tmp_path, "k", Progress())

    assert not (tmp_path / "k").exists()
