"""One short run of the whole demo, kept and then interrupted; and what is left of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import yaml

SECONDS = 20.0
LATER = "\n30 s, "
"""How the first table begins that is shown after the run."""
PATIENCE = 90.0
"""Seconds that anything may take on a busy machine beyond the run itself."""


@dataclass(frozen=True)
class Finished:
    """What a run left: its JSON, its text, its exit code, and what was seen while it was kept."""

    report: dict[str, Any]
    text: str
    exit_code: int
    reloaded: bool
    survivors: list[str]


def play(folder: Path) -> Finished:
    """`make demo KEEP=1` with a run of 20 s, a change of its configuration, then Ctrl-C."""
    results, output = folder / "results.json", folder / "output.txt"
    environ = {
        "DEMO_SECONDS": str(SECONDS),
        "DEMO_FOLDER": str(folder / "demo"),
        "DEMO_JSON": str(results),
        "KEEP": "1",
    }
    with output.open("wb") as text:
        process = subprocess.Popen(
            (sys.executable, "-m", "demo"),
            stdout=text,
            stderr=text,
            env={**os.environ, **environ},
        )
    try:
        _wait_until(lambda: results.exists() or process.poll() is not None, SECONDS + PATIENCE)
        pids = _pids(folder / "demo")
        reloaded = process.poll() is None and _reload(folder / "demo")
        _wait_until(lambda: LATER in output.read_text() or process.poll() is not None, PATIENCE)
    finally:
        process.send_signal(signal.SIGINT)
        exit_code = process.wait(PATIENCE)
    said = output.read_text()
    ended = f"the demo ended with exit code {exit_code}:\n{said}"
    assert exit_code == 0, ended
    assert results.exists(), ended
    survivors = [pid for pid in pids if Path(f"/proc/{pid}").exists()]
    return Finished(json.loads(results.read_text()), said, exit_code, reloaded, survivors)


def _reload(folder: Path) -> bool:
    """Make bm25 live in the file, have the services read it, and see whether it is in force."""
    path = folder / "shadowrank.yaml"
    config = yaml.safe_load(path.read_text())
    config["routes"]["scifact"]["live"] = {"bm25": 1.0}
    path.write_text(yaml.safe_dump(config))
    for pid in _pids(folder):
        os.kill(int(pid), signal.SIGHUP)
    admin = config["server"]["admin"]["port"]
    wanted = 'shadowrank_pipeline_info{pipeline="bm25",role="live"'
    return _wait_until(lambda: wanted in _metrics(admin), PATIENCE)


def _pids(folder: Path) -> list[str]:
    """None where the services never came up."""
    path = folder / "pids"
    return path.read_text().split() if path.exists() else []


def _metrics(port: int) -> str:
    try:
        with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            text: str = answer.read().decode()
            return text
    except URLError:
        return ""


def _wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.1)
    return False
