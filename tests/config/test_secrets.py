"""Tests of config.secrets."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from config import secrets
from config.errors import ConfigError
from config.schema import Admin, Events, Server, Settings
from config.schema import Secrets as Named

EMPTY: dict[str, Any] = {"backends": (), "legs": (), "pipelines": (), "routes": ()}
NEW, OLD, HMAC = "n" * 16, "o" * 16, "h" * 16
SHARED = Settings(
    **EMPTY,
    server=Server(admin=Admin(token_env="TOKEN")),
    secrets=Named(ids_env=("NEW", "OLD"), keys_env="HMAC"),
    events=Events(redis="redis://redis", password_env="PASSWORD"),
)


def test_named_secrets_come_from_the_environment(tmp_path: Path) -> None:
    """
    The newest key is first, and nothing is written.
    """
    environ = {"NEW": NEW, "OLD": OLD, "HMAC": HMAC, "TOKEN": "t", "PASSWORD": "p"}

    found = secrets.read(SHARED, environ, tmp_path / "state")

    assert (NEW.encode(), OLD.encode()) == found.ids
    assert (HMAC.encode(), "t", "p") == (found.hmac, found.admin_token, found.redis_password)
    assert not (tmp_path / "state").exists()


def test_every_variable_that_is_wanting_is_named(tmp_path: Path) -> None:
    """
    Unset, empty and too short ones are listed together.
    """
    with pytest.raises(ConfigError) as caught:
        secrets.read(SHARED, {"NEW": "short", "OLD": OLD, "TOKEN": ""}, tmp_path)

    assert [
        "the environment: 'HMAC' is not set",
        "the environment: 'TOKEN' is not set",
        "the environment: 'PASSWORD' is not set",
        "secrets: 'NEW' holds less than 16 characters",
    ] == list(caught.value.problems)


def test_a_shared_redis_wants_named_keys(tmp_path: Path) -> None:
    """
    Keys that one machine generates are no keys for the others.
    """
    settings = Settings(**EMPTY, events=Events(redis="redis://redis"))

    with pytest.raises(ConfigError, match=r"secrets\.ids_env"):
        secrets.read(settings, {}, tmp_path)


def test_a_private_redis_comes_with_generated_keys(tmp_path: Path) -> None:
    """
    They are made once, differ from each other and are readable by their owner only.
    """
    state_dir = tmp_path / "state"

    found = secrets.read(Settings(**EMPTY), {}, state_dir)

    assert found == secrets.read(Settings(**EMPTY), {}, state_dir)
    assert {32} == {len(found.ids[0]), len(found.hmac)}
    assert found.ids[0] != found.hmac
    assert None is found.admin_token
    assert 0o700 == stat.S_IMODE(state_dir.stat().st_mode)
    assert [("hmac.key", 0o600), ("ids.key", 0o600)] == sorted(
        (path.name, stat.S_IMODE(path.stat().st_mode)) for path in state_dir.iterdir()
    )


def test_a_damaged_key_file_is_named(tmp_path: Path) -> None:
    """
    A truncated key is refused, not used.
    """
    (tmp_path / "ids.key").write_text("abc")

    with pytest.raises(ConfigError, match=r"ids\.key"):
        secrets.read(Settings(**EMPTY), {}, tmp_path)


def test_processes_that_start_at_once_share_the_keys(tmp_path: Path) -> None:
    """
    Whoever comes second takes the first one's keys.
    """
    code = (
        "import sys; from pathlib import Path; from config import secrets, schema\n"
        "empty = schema.Settings(backends=(), legs=(), pipelines=(), routes=())\n"
        "print(secrets.read(empty, {}, Path(sys.argv[1])).ids[0].hex())"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    env = {**os.environ, "PYTHONPATH": str(Path(secrets.__file__).parents[1])}
    started = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) for _ in range(4)
    ]

    assert 1 == len({process.communicate()[0] for process in started})


def test_secrets_do_not_print() -> None:
    """
    A traceback or a log line that shows the object shows no key.
    """

    assert "Secrets()" == repr(secrets.Secrets((b"a",), b"b", "c", "d"))
