"""One node of an engine: a process on loopback that doesn't outlive who started it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tests.engines.building import Say, built
from tests.engines.recipes import Recipe
from tests.engines.runtimes import find

STARTS_IN_S: Final = 120.0
STOPS_IN_S: Final = 20.0
PREFIX: Final = "shadowrank-engine-"


class NotStarted(Exception):
    """A node that ended, or that took too long; with the end of what it said."""


def leashed(command: Sequence[str], **streams: Any) -> subprocess.Popen[bytes]:
    """Start a program that is killed with this process, even if this is killed itself."""
    leash = (sys.executable, "-I", str(Path(__file__).with_name("leash.py")), str(os.getpid()))
    return subprocess.Popen([*leash, *command], stdin=subprocess.DEVNULL, **streams)


class Node:
    """A running engine. Its data goes with it."""

    def __init__(self, recipe: Recipe, port: int = 0, heap: str = "512m", say: Say = print) -> None:
        """Start it; port 0 takes a free one. It lives as long as this process at most."""
        folder = built(recipe, say)
        self.recipe = recipe
        _sweep()
        self.home = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-{recipe.name}-"))
        self.log = self.home / "node.log"
        command = _command(recipe, folder, self.home, port, heap)
        try:
            with self.log.open("wb") as log:
                self.process = leashed(command, stdout=log, stderr=subprocess.STDOUT)
            self.url = self._ready()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop it and remove its data."""
        if hasattr(self, "process"):
            self.process.terminate()
            try:
                self.process.wait(STOPS_IN_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def _ready(self) -> str:
        end = time.monotonic() + STARTS_IN_S
        told = self.home / "port"
        while time.monotonic() < end and self.process.poll() is None:
            if told.exists():
                url = f"http://127.0.0.1:{told.read_text()}"
                if _answers(f"{url}/_cluster/health?wait_for_status=yellow&timeout=5s"):
                    return url
            time.sleep(0.1)
        code = self.process.poll()
        why = f"ended with {code}" if code is not None else f"not ready in {STARTS_IN_S:.0f} s"
        said = self.log.read_text(errors="replace")[-3000:]
        raise NotStarted(f"{self.recipe.name} {self.recipe.version} {why}:\n{said}")


def _command(recipe: Recipe, folder: Path, home: Path, port: int, heap: str) -> list[str]:
    java = find(recipe.java)
    (home / "config").mkdir()
    settings = {
        "cluster.name": "shadowrank",
        "node.name": recipe.name,
        "discovery.type": "single-node",
        "network.host": "127.0.0.1",
        "http.port": f"{port}",
        "transport.port": "0",
        "cluster.routing.allocation.disk.threshold_enabled": "false",
    }
    if recipe.kind == "opensearch":
        main = "OpenSearchServer"
        settings |= {"http.type": "netty4", "transport.type": "netty4"}
    else:
        main = "ElasticsearchServer"
        (home / "modules").symlink_to(folder / "modules")
    faster = "jdk.incubator.vector"
    return [
        str(java.program), f"-Xms{heap}", f"-Xmx{heap}",
        *(("--add-modules", faster) if faster in java.modules else ()),
        *(("--enable-native-access=ALL-UNNAMED",) if java.major > 21 else ()),
        "-classpath", os.pathsep.join((f"{folder}/classes", f"{folder}/lib/*")),
        main, str(home), *(f"{name}={value}" for name, value in settings.items()), *recipe.plugins,
    ]  # fmt: skip


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=10):
            return True
    except (urllib.error.URLError, OSError):
        return False


def _sweep() -> None:
    """Remove what nodes left behind whose process was killed."""
    for home in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        pid = home.name.removeprefix(PREFIX).partition("-")[0]
        if pid.isdecimal() and not _lives(int(pid)):
            shutil.rmtree(home, ignore_errors=True)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
