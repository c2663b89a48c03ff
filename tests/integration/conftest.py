"""A proxy in a process of its own, and a Redis that can be stopped, filled and started again."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from redis import Redis
from redis.exceptions import RedisError

EXAMPLES = Path(__file__).parents[2] / "config" / "examples"
ENVIRON = {"IDS": "a" * 32, "KEYS": "b" * 32, "TOKEN": "letmein"}
Config = dict[str, Any]


def wait_for(holds: Callable[[], object], seconds: float = 20.0) -> None:
    """Wait until it holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


class Server:
    """A redis-server on a socket of its own."""

    def __init__(self, binary: str, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "r.sock"
        self.url = f"unix://{self.socket}"
        self._command = [
            binary, "--port", "0", "--unixsocket", str(self.socket), "--dir", str(folder),
            "--appendonly", "yes", "--save", "", "--maxmemory-policy", "noeviction",
        ]  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        with (self.folder / "redis.log").open("ab") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log)
        wait_for(self._answers)

    def kill(self) -> None:
        """End it as a crash does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def client(self) -> Redis:
        """A client of it."""
        return Redis.from_url(self.url)

    def _answers(self) -> bool:
        try:
            with self.client() as client:
                return bool(client.ping())
        except (RedisError, OSError):
            return False


@pytest.fixture
def own_redis(redis_server: str) -> Iterator[Server]:
    """A Redis of this test alone, not started yet."""
    folder = Path("/tmp") / f"shadowrank-{os.getpid()}-{time.monotonic_ns()}"
    folder.mkdir(mode=0o700)
    server = Server(redis_server, folder)
    yield server
    server.kill()
    shutil.rmtree(folder)


class Process:
    """A `shadowrank-proxy serve` and what it said."""

    def __init__(self, config: Config, folder: Path) -> None:
        self.path = folder / "shadowrank.yaml"
        self.log = folder / "proxy.log"
        self.public, self.private = _free_ports()
        server = {"host": "127.0.0.1", "port": self.public}
        admin = {"host": "127.0.0.1", "port": self.private, "token_env": "TOKEN"}
        self.write({**config, "server": {**server, "admin": admin}})
        command = [sys.executable, "-m", "proxy", "serve", "--config", str(self.path)]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, stderr=log, env={**os.environ, **ENVIRON})

    def write(self, config: Config) -> None:
        """Put a configuration into its file."""
        self.config = config
        self.path.write_text(json.dumps(config))

    def ready(self) -> Process:
        """Wait until it serves."""
        wait_for(lambda: "serving" in self.events() or self.process.poll() is not None)
        assert self.process.poll() is None, self.log.read_text()
        return self

    def events(self) -> list[str]:
        """The events it has logged; lines that are no JSON as they are."""
        lines = self.log.read_text().splitlines()
        return [json.loads(line)["event"] if line[:1] == "{" else line for line in lines]

    def search(self, **asked: object) -> dict[str, Any]:
        """The answer to a good search."""
        status, said = self.post("/v1/faq/search", {"query": "join", **asked})
        assert status == 200, said
        return said

    def post(self, path: str, body: object) -> tuple[int, dict[str, Any]]:
        """Status and JSON of the public port."""
        return _ask(f"http://127.0.0.1:{self.public}{path}", json.dumps(body).encode())

    def admin(self, path: str, body: object = None) -> tuple[int, dict[str, Any]]:
        """Status and JSON of a POST to /admin."""
        url = f"http://127.0.0.1:{self.private}/admin/{path}"
        return _ask(url, json.dumps(body).encode(), {"authorization": "Bearer letmein"})

    def metric(self, name: str, **labels: str) -> float:
        """The sum of a metric's samples that have these labels."""
        url = f"http://127.0.0.1:{self.private}/metrics"
        with urllib.request.urlopen(url, timeout=5) as got:
            families = list(text_string_to_metric_families(got.read().decode()))
        return sum(
            sample.value
            for family in families
            for sample in family.samples
            if sample.name == name and labels.items() <= sample.labels.items()
        )

    def stop(self, number: int = signal.SIGTERM, seconds: float = 20.0) -> int:
        """Signal it and wait; its exit code."""
        self.process.send_signal(number)
        return self.process.wait(seconds)


def _ask(url: str, body: bytes, headers: dict[str, str] | None = None) -> tuple[int, Any]:
    head = {"content-type": "application/json", **(headers or {})}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, head), timeout=5) as got:
            return got.status, json.load(got)
    except urllib.error.HTTPError as exc:
        return exc.code, json.load(exc)


def _free_ports() -> tuple[int, int]:
    with socket.socket() as one, socket.socket() as two:
        for each in (one, two):
            each.bind(("127.0.0.1", 0))
        return one.getsockname()[1], two.getsockname()[1]


@pytest.fixture
def faq(own_redis: Server, tmp_path: Path) -> Config:
    """A configuration over the examples' corpus: a live pipeline and a shadow of its own leg."""
    fields = {"question": {"type": "text"}, "text": {"type": "text"}}
    index = {"corpus": str(EXAMPLES / "faq.jsonl"), "fields": fields}
    leg = {"kind": "lexical", "backend": "local", "index": "faq", "timeout_ms": 5000}
    return {
        "state_dir": str(tmp_path / "state"),
        "secrets": {"ids_env": ["IDS"], "keys_env": "KEYS"},
        "backends": {"local": {"kind": "embedded", "indices": {"faq": index}}},
        "legs": {
            "boosted": {**leg, "fields": ["question^3", "text"]},
            "plain": {**leg, "fields": ["text"]},
        },
        "pipelines": {"boosted": {"legs": ["boosted"]}, "plain": {"legs": ["plain"]}},
        "routes": {
            "faq": {"live": {"boosted": 1.0}, "shadows": {"plain": 1.0}, "deadline_ms": 5000}
        },
        "events": {"redis": own_redis.url, "shards": 2},
    }


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[[Config], Process]]:
    """`serve(config)`: a process that is ended with the test."""
    begun: list[Process] = []

    def begin(config: Config) -> Process:
        folder = tmp_path / f"proxy{len(begun)}"
        folder.mkdir()
        begun.append(Process(config, folder))
        return begun[-1]

    yield begin
    for process in begun:
        if process.process.poll() is None:
            process.process.kill()
        process.process.wait()


@pytest.fixture(name="wait_for")
def _wait_for() -> Callable[..., None]:
    """Waits until something holds, 20 s unless told otherwise."""
    return wait_for
