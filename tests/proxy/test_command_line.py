from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from proxy.command_line import main

ENVIRON = {"IDS": "a" * 32, "KEYS": "b" * 32}


def command(*args: str, **environ: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "proxy", *args],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, **ENVIRON, **environ},
    )  # fmt: skip


@pytest.fixture
def config(fruit, tmp_path: Path) -> Path:
    path = tmp_path / "c.yaml"
    path.write_text(json.dumps(fruit))
    return path


@pytest.mark.parametrize("args", [[], ["fly"], ["serve"], ["check"], ["serve", "--colour"]])
def test_wrong_usage(args: list[str], capsys, monkeypatch):
    """
    Exit code 2 and a line that says what is missing.
    """
    monkeypatch.delenv("SHADOWRANK_CONFIG", raising=False)

    with pytest.raises(SystemExit) as caught:
        main(args)

    assert 2 == caught.value.code
    assert "usage:" in capsys.readouterr().err


def test_check(config: Path, monkeypatch, capsys):
    """
    A good configuration is 0, also when the environment names it.
    """
    for name, value in ENVIRON.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SHADOWRANK_CONFIG", str(config))

    assert 0 == main(["check"])
    assert "fruit" in capsys.readouterr().out


def test_serving_a_wrong_configuration(tmp_path: Path):
    """
    Exit code 2 with every problem on stderr, and no traceback.
    """
    (tmp_path / "c.yaml").write_text("{backends: {}, legs: {}, pipelines: {}, routes: {}, x: 1}")

    process = command("serve", "--config", str(tmp_path / "c.yaml"))
    out, err = process.communicate(timeout=30)

    assert (2, "") == (process.returncode, out)
    assert "is not a valid configuration" in err
    assert "Traceback" not in err


def test_a_port_in_use(config: Path, fruit):
    """
    Exit code 2 and one sentence with the address.
    """
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        fruit["server"]["port"] = taken.getsockname()[1]
        config.write_text(json.dumps(fruit))

        process = command("serve", "--config", str(config))
        _, err = process.communicate(timeout=30)

    assert 2 == process.returncode
    assert str(fruit["server"]["port"]) in err.splitlines()[-1]
    assert "in use" in err
    assert "Traceback" not in err


def test_serving_until_a_signal(config: Path):
    """
    Logs are JSON on stderr, and SIGTERM is a clean end.
    """
    process = command("serve", "--config", str(config))
    assert process.stderr is not None
    assert "serving" == json.loads(process.stderr.readline())["event"]

    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=30)

    assert 0 == process.returncode
    assert time.monotonic() - began < 5.0
    assert ["stopping", "stopped"] == [json.loads(line)["event"] for line in err.splitlines()]
