from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

INTERRUPTED = (130, -signal.SIGINT)
"""Amid an exec of a string (a dataclass being made), CPython itself ends by SIGINT."""


@pytest.mark.parametrize("seconds", [0.3, 0.6])
def test_ctrl_c_is_quiet_amid_imports(seconds: float):
    """
    Nothing is said: there is nothing yet that could have gone wrong.
    """
    command = (sys.executable, "-m", "proxy", "serve", "--config", "/dev/stdin")
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)

    assert process.returncode in INTERRUPTED
    assert ("", "") == said


def test_help_says_what_there_is():
    """
    The commands, and 0.
    """
    done = subprocess.run(
        [sys.executable, "-m", "proxy", "--help"], capture_output=True, text=True, check=True
    )

    assert "shadowrank-proxy" in done.stdout
    assert "serve" in done.stdout
