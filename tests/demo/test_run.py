"""The demo's ends: what they say and their exit codes."""

from __future__ import annotations

import asyncio
import fcntl
from pathlib import Path

import pytest
from aiohttp import ClientError

from demo.run import run, unanswered


def test_a_folder_in_use_ends_it_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """
    Exit code 1, and what to do about it.
    """
    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        assert 1 == run({"DEMO_FOLDER": str(tmp_path)})

    assert "another demo is running" in capsys.readouterr().err


def test_a_service_that_fails_ends_it_with_its_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """
    A Redis that can't be started is said by the proxy, and passed on.
    """
    broken = tmp_path / "bin" / "redis-server"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho 'no room here' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(broken.parent), prepend=":")

    assert 1 == run({"DEMO_FOLDER": str(tmp_path / "demo")})

    said = capsys.readouterr().err
    assert "the proxy ended with exit code 2" in said
    assert "no room here" in said


def test_nothing_runs_on_after_the_end(tmp_path: Path):
    """
    The loop is closed whatever happened.
    """
    run({"DEMO_SECONDS": "1"})

    with pytest.raises(RuntimeError, match="no running event loop"):
        asyncio.get_running_loop()


@pytest.mark.parametrize(
    ("exc", "said"),
    [
        (ClientError("401 here"), "401 here"),
        (TimeoutError(), "TimeoutError"),
        (ExceptionGroup("", [ExceptionGroup("", [ClientError("401 here")])]), "401 here"),
        (ExceptionGroup("", [ClientError("401 here"), ValueError("a bug")]), None),
    ],
)
def test_a_request_that_failed_is_a_sentence_and_a_bug_is_not(exc: Exception, said: str | None):
    """
    Whichever task it came from; what is no request's failure keeps its traceback.
    """
    assert said == unanswered(exc)
