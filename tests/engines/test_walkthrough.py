"""docs/your-cluster.md, command by command, against a real engine: the page can't lie."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import site
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
import yaml

from proxy.embedders.onnx import Onnx
from tests.conftest import Require
from tests.engines.cluster import Engine

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "your-cluster.md"
PACKAGES = ("config", "proxy", "evaluator")
BLOCK: Final = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILE: Final = "shadowrank.yaml"
STARTS_IN_S: Final = 60.0
PATIENCE_MS: Final = 30_000
BUDGETS: Final = {"backends": "fetch_timeout_ms", "legs": "timeout_ms", "routes": "deadline_ms"}
GIVEN: Final = ("ELASTICSEARCH_URL", "OPENSEARCH_URL")
SERVES: Final[Mapping[str, tuple[int, str]]] = {
    "shadowrank-proxy": (9400, "/health/ready"),
    "shadowrank-evaluator": (9401, "/health/live"),
}
"""By the command of a terminal, the port and the path where it says that it is up."""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, the engines or kinds that it is for (none: all), its text.

    `sh` is run: `terminal` beside the others, `fails` with exit code 2. `yaml` goes into the file;
    `text` is what the command before says, `…` being anything.
    """

    language: str
    tags: frozenset[str]
    text: str

    def is_for(self, engine: Engine) -> bool:
        """Does who has this engine follow it?"""
        engines = self.tags - {"terminal", "fails"}
        return not engines or bool({engine.name, engine.kind} & engines)


def blocks(engine: Engine) -> Iterator[Block]:
    """Those of the page that are for this engine, in order."""
    for language, tags, text in BLOCK.findall(PAGE.read_text()):
        block = Block(language, frozenset(tags.split()), text)
        if block.is_for(engine):
            yield block


@dataclass
class Reader:
    """Somebody who follows the page in a folder, with ports of their own."""

    folder: Path
    ports: Mapping[int, str]
    said: str = ""
    config: dict[str, Any] = field(default_factory=dict)
    terminals: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def follow(self, block: Block) -> None:
        """Do what a block says."""
        text = self.placed(block.text)
        match block.language:
            case "yaml":
                self.write(yaml.safe_load(text))
            case "text":
                assert matches(text, self.said), f"{text}\n--- but it said:\n{self.said}"
            case "sh" if "terminal" in block.tags:
                self.open(text)
            case "sh":
                self.run(text, code=2 if "fails" in block.tags else 0)
            case _:
                raise AssertionError(f"nobody knows how to follow {block.language}")

    def placed(self, text: str) -> str:
        """The text with this reader's ports."""
        return re.sub(r"\b(\d{4})\b", lambda found: self.ports.get(int(found[1]), found[1]), text)

    def write(self, given: dict[str, Any]) -> None:
        """Put sections into the file; what has the same name is replaced."""
        for section, value in patient(given).items():
            had = self.config.get(section)
            if isinstance(had, dict) and isinstance(value, dict):
                self.config[section] = {**had, **value}
            else:
                self.config[section] = value
        lines = [
            f"{section}:\n" + "".join(f"  {name}: {flow(each)}\n" for name, each in value.items())
            if isinstance(value, dict)
            else f"{section}: {value}\n"
            for section, value in self.config.items()
        ]
        (self.folder / FILE).write_text("".join(lines))

    def run(self, text: str, code: int) -> None:
        """Run commands as one terminal does: what is exported stays."""
        kept = self.folder / "exported"
        kept.touch()
        script = f"trap 'export -p > exported' EXIT\n. ./exported\n{text}"
        done = subprocess.run(
            ("bash", "-euo", "pipefail", "-c", script), cwd=self.folder, env=environ(),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False,
        )  # fmt: skip
        self.said = done.stdout
        print(f"{text}\n{self.said}")  # pytest shows it where a block fails
        assert code == done.returncode, f"{text}\n--- ended with {done.returncode}:\n{self.said}"

    def open(self, text: str) -> None:
        """Start a server in a terminal of its own, and wait until it serves."""
        (name,) = [name for name in SERVES if name in text]
        log = self.folder / f"{name}.log"
        command = ("bash", "-ec", f". ./exported\nexec {text}")
        with log.open("wb") as out:
            self.terminals.append(
                subprocess.Popen(
                    command,
                    cwd=self.folder,
                    env=environ(),
                    stdout=out,
                    stderr=subprocess.STDOUT,
                )
            )
        port, path = SERVES[name]
        end = time.monotonic() + STARTS_IN_S
        while not answers(f"http://127.0.0.1:{self.ports[port]}{path}"):
            assert self.terminals[-1].poll() is None, log.read_text()
            assert time.monotonic() < end, f"{name} does not serve:\n{log.read_text()}"
            time.sleep(0.1)

    def close(self) -> list[int]:
        """End what serves, last one first; its exit codes."""
        codes = []
        for process in reversed(self.terminals):
            process.send_signal(signal.SIGTERM)
            codes.append(process.wait(30))
        return codes


def patient(given: dict[str, Any]) -> dict[str, Any]:
    """The same with budgets for a machine that does ten things at once and a cold engine."""
    for section, budget in BUDGETS.items():
        for part in given.get(section, {}).values():
            part.setdefault(budget, PATIENCE_MS)
    return given


def flow(value: object) -> str:
    """A value on one line, as people write it."""
    text = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=10_000)
    return text.removesuffix("\n").removesuffix("\n...")


def matches(expected: str, said: str) -> bool:
    """Does it say so, from its first line to its last, `…` being anything?"""
    wanted = ".*?".join(map(re.escape, expected.strip().split("…")))
    return re.fullmatch(wanted, said.strip(), re.DOTALL) is not None


def answers(url: str) -> bool:
    """Is there somebody?"""
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except OSError:
        return False


def environ() -> dict[str, str]:
    """What the commands find: this Python as `python3`, and its packages instead of a download."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    pip = {"PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    packages = {"PYTHONPATH": os.pathsep.join(site.getsitepackages())}
    return {"HOME": os.environ.get("HOME", "/"), "PATH": path, "LANG": "C.UTF-8", **packages, **pip}


def free_ports(wanted: tuple[int, ...]) -> dict[int, str]:
    """A free port for each, below those that the system gives to whoever asks for any."""
    found = dict[int, str]()
    for port in random.sample(range(20_000, 32_000), 200):
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        found[wanted[len(found)]] = str(port)
        if len(found) == len(wanted):
            return found
    raise AssertionError("no port is free")


@pytest.fixture
def reader(engine: Engine, require: Require, tmp_path: Path) -> Iterator[Reader]:
    """A reader in a checkout, who has nothing installed yet."""
    if any(os.environ.get(name) for name in GIVEN):
        pytest.skip("the page makes indices of plain names, so it is followed on engines of ours")
    missing = "; ".join(Onnx().problems())
    require(not missing, "the embedding model", missing)
    for name in PACKAGES:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, tmp_path / name)
    ports = free_ports((8080, 9400, 9401))
    following = Reader(tmp_path, {9200: str(urlsplit(engine.url).port), **ports})
    yield following
    following.close()
    for index in ("faq-1", "faq-2"):
        engine.ask("DELETE", f"/{index}")


def test_every_command_of_the_page_does_what_it_says(engine: Engine, reader: Reader) -> None:
    """
    From the installation to the last reload, on this engine.
    """
    for block in blocks(engine):
        reader.follow(block)

    assert [0] * len(reader.terminals) == reader.close()
    reader.terminals.clear()
