"""The launcher itself: what it builds is whole, what it starts answers, and nothing is left."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engines.building import built
from tests.engines.cluster import Engine, Vector, at
from tests.engines.recipes import RECIPES
from tests.engines.runtimes import Missing, find

ROOT = Path(__file__).parents[2]
RECIPE = RECIPES["opensearch-2"]
Said = list[str]


def test_an_engine_is_what_it_is_called(engine: Engine) -> None:
    """
    Kind and version are what the cluster says of itself.
    """
    said = at(engine.url, engine.kind)

    assert (engine.name, engine.version) == (said.name, said.version)


def test_an_index_holds_text_keywords_and_vectors(
    engine: Engine, new_index: Callable[..., str]
) -> None:
    """
    Each kind of field is searched the way its engine has it.
    """
    documents = [
        {"_id": "a", "text": "Running dogs", "course": "zoo", "embedding": [1.0, 0.0]},
        {"_id": "b", "text": "a cat", "course": "zoo", "embedding": [0.0, 1.0]},
    ]
    fields = {"text": "english", "course": "keyword"}
    index = new_index("pets", fields, {"embedding": Vector(2)}, documents)

    assert ["a"] == [id for id, _ in engine.hits(index, {"query": {"match": {"text": "run"}}})]
    assert 2 == len(engine.hits(index, {"query": {"term": {"course": "zoo"}}}))
    assert ["b"] == [id for id, _ in engine.hits(index, engine.knn("embedding", [0.1, 0.9], 1))]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux's kernel does this")
def test_what_ends_its_starter_ends_a_node() -> None:
    """
    A test process that is killed has no time to stop anything; the kernel does.
    """
    code = (
        "from tests.engines.node import leashed; import time;"
        "print(leashed(['/bin/sleep', '60']).pid, flush=True); time.sleep(60)"
    )
    starter = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=ROOT)
    assert starter.stdout is not None
    pid = int(starter.stdout.readline())
    _wait(lambda: "sleep" in _command(pid))

    starter.send_signal(signal.SIGKILL)
    starter.communicate()

    _wait(lambda: not _command(pid))


@pytest.fixture
def maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """`maven(script)`: an empty cache, and an `mvn` that does this."""
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("SHADOWRANK_ENGINE_CACHE", str(tmp_path / "cache"))

    def install(script: str) -> None:
        (programs / "mvn").write_text(f"#!/bin/sh\n{script}\n")
        (programs / "mvn").chmod(0o755)

    return install


def test_half_a_build_is_none(maven: Callable[[str], None], tmp_path: Path) -> None:
    """
    When Maven fails amid its work, what it said is told and the next build starts afresh.
    """
    maven("mkdir -p lib; touch lib/half.jar; echo no such host; exit 1")

    for _ in range(2):
        with pytest.raises(Missing, match="no such host"):
            built(RECIPE, Said().append)

    assert not (tmp_path / "cache" / RECIPE.folder).exists()


def test_what_is_built_is_not_built_again(maven: Callable[[str], None], tmp_path: Path) -> None:
    """
    A folder of the engine's name is whole: nobody asks Maven.
    """
    maven("exit 1")
    folder = tmp_path / "cache" / RECIPE.folder
    folder.mkdir(parents=True)

    assert folder == built(RECIPE, Said().append)


def test_two_do_not_build_at_once(maven: Callable[[str], None], tmp_path: Path) -> None:
    """
    The second waits, says so, and takes what the first has made.
    """
    cache = tmp_path / "cache"
    cache.mkdir()
    maven("exit 1")
    code = (
        "import fcntl, os, sys, time;"
        "file = open(sys.argv[1], 'w'); fcntl.flock(file, fcntl.LOCK_EX); print(flush=True);"
        "time.sleep(0.5); os.mkdir(sys.argv[2])"
    )
    command = [sys.executable, "-c", code, str(cache / "lock"), str(cache / RECIPE.folder)]
    said = Said()

    with subprocess.Popen(command, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        folder = built(RECIPE, said.append)

    assert cache / RECIPE.folder == folder
    assert ["waiting for another process that is building an engine"] == said


def test_a_machine_without_maven_is_told_the_remedy(
    maven: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    What is missing and how to get it.
    """
    monkeypatch.setenv("PATH", "")

    with pytest.raises(Missing, match="Maven is missing: apt-get install maven"):
        built(RECIPE, Said().append)


def test_a_machine_without_a_java_in_range_is_told_what_there_is() -> None:
    """
    The range, the versions found, and how to get one.
    """
    with pytest.raises(Missing, match=r"a Java from 1 to 2 \(found: .*\) is missing: .*JAVA_HOME"):
        find(range(1, 3))


def test_the_launcher_is_a_program_too() -> None:
    """
    It runs as a file, with nothing installed.
    """
    command = [sys.executable, "-I", "-S", "tests/engines/engine.py", "list"]

    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout

    assert list(RECIPES) == [line.split()[0] for line in said.splitlines()]


def _command(pid: int) -> str:
    """What a process runs; nothing once it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _wait(holds: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)
