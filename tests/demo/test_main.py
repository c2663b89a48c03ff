"""`python -m demo` as a command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest


def started(folder: Path, **environ: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        (sys.executable, "-m", "demo"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "DEMO_FOLDER": str(folder), **environ},
    )


def test_a_variable_that_holds_nonsense_is_wrong_usage(tmp_path: Path):
    """
    Exit code 2, and a line that names it.
    """
    with started(tmp_path, DEMO_SECONDS="soon") as process:
        said, _ = process.communicate(timeout=60)

    assert (2, "DEMO_SECONDS=soon: is no number\n") == (process.returncode, said)


@pytest.mark.parametrize("seconds", [0.1, 0.4, 1.5])
def test_ctrl_c_is_quiet_whenever_it_comes(tmp_path: Path, redis_server: str, seconds: float):
    """
    While it imports, unpacks or starts: 130, and no traceback.
    """
    with started(tmp_path) as process:
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)

    # Interrupted amid an exec of a string (a dataclass being made), CPython itself ends by SIGINT
    # although the exception was caught; to a shell both are 130.
    assert process.returncode in (130, -signal.SIGINT)
    assert "Traceback" not in said
