"""An evaluator in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from prometheus_client.parser import text_string_to_metric_families
from redis import Redis
from redis.exceptions import RedisError

ENVIRON = {"IDS": "a" * 32, "KEYS": "b" * 32}


def configuration(folder: Path, redis: str, port: int, **evaluator: Any) -> Path:
    """A file in `folder`: the route faq, one shard, rrf60 live and rrf20 its shadow."""
    content = {
        "state_dir": str(folder / "state"),
        "secrets": {"ids_env": ["IDS"], "keys_env": "KEYS"},
        "backends": {"local": {"kind": "embedded"}},
        "legs": {"bm25": {"kind": "lexical"}},
        "pipelines": {name: {"legs": ["bm25"]} for name in ("rrf60", "rrf20")},
        "routes": {"faq": {"live": {"rrf60": 1.0}, "shadows": {"rrf20": 1.0}}},
        "events": {"redis": redis, "shards": 1},
        "evaluator": {"admin": {"port": port}, **evaluator},
    }
    path = folder / "shadowrank.yaml"
    path.write_text(json.dumps(content))
    return path


def command(*arguments: str) -> list[str]:
    """How it is started."""
    return [sys.executable, "-m", "evaluator", *arguments]


@contextmanager
def running(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Serve until the end of the block, at the latest."""
    with (path.parent / "evaluator.log").open("ab") as log:
        process = subprocess.Popen(
            command("serve", "--config", str(path)), env=os.environ | ENVIRON, stderr=log
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(timeout=20)


@contextmanager
def server(program: str, folder: Path, port: int = 0) -> Iterator[Redis]:
    """A Redis of its own, whose file and socket are in `folder`; killed at the end of the block."""
    socket = str(folder / "redis.sock")
    process = subprocess.Popen(
        [program, "--port", str(port), "--unixsocket", socket, "--dir", str(folder),
         "--appendonly", "yes", "--appendfsync", "always", "--save", ""],
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        with Redis(unix_socket_path=socket) as client:
            wait_for(lambda: answers(client))
            yield client
    finally:
        process.kill()
        process.wait(timeout=20)


def answers(client: Redis) -> bool:
    """Is the server there, and has it loaded its file?"""
    try:
        return bool(client.ping())
    except RedisError:
        return False


def samples(port: int) -> dict[tuple[str, tuple[str, ...]], float]:
    """What it exports by name and label values; nothing while it doesn't answer."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            text = answer.read().decode()
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return {}
    return {
        (sample.name, tuple(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def wait_for(holds: Callable[[], object], seconds: float = 30.0) -> None:
    """Wait until it holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)
