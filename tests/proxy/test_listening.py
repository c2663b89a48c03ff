from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from proxy.listening import check_parser


def test_the_parser_in_c_is_there():
    """
    Where aiohttp is whole, nothing is said.
    """
    check_parser()


def test_without_the_parser_in_c_nothing_is_served(fruit, tmp_path: Path):
    """
    Exit code 2 and a sentence with the remedy.
    """
    path = tmp_path / "c.yaml"
    path.write_text(json.dumps(fruit))
    environ = {**os.environ, "IDS": "a" * 32, "KEYS": "b" * 32, "AIOHTTP_NO_EXTENSIONS": "1"}

    done = subprocess.run(
        [sys.executable, "-m", "proxy", "serve", "--config", str(path)],
        capture_output=True, text=True, env=environ, timeout=60,
    )  # fmt: skip

    assert 2 == done.returncode
    assert "parser in C is missing; unset AIOHTTP_NO_EXTENSIONS" in done.stderr


@pytest.mark.parametrize(
    ("soft", "hard", "wanted", "got", "left"),
    [
        (4096, 4096, 2048, 2048, 4096),
        (256, 8192, 2048, 2048, 3072),
        (256, 2048, 2048, 1024, 2048),
        (256, 256, 2048, 128, 256),
    ],
)
def test_descriptors_are_kept_for_others(soft, hard, wanted, got, left):
    """
    The limit is raised as far as it is needed and may be; what isn't enough means fewer clients.
    """
    code = (
        "import resource as r; from proxy.listening import room; n = r.RLIMIT_NOFILE; "
        f"r.setrlimit(n, ({soft}, {hard})); print(room({wanted}), r.getrlimit(n)[0])"
    )
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < hard:
        pytest.skip("this machine's own limit is lower")

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert f"{got} {left}" == done.stdout.strip()
    assert ("too few file descriptors" in done.stderr) is (got < wanted)
