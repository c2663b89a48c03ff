"""The secrets: read from the environment, or generated beside a private Redis."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from config.errors import ConfigError
from config.problems import problem
from config.references import keys
from config.schema import Settings

KEY_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Secrets:
    """What must not be known outside; never printed.

    `ids` are the keys of query ids, newest first: the first signs, all are accepted. `hmac` hashes
    users and queries. Without `admin_token` there is no admin API.
    """

    ids: tuple[bytes, ...] = field(repr=False)
    hmac: bytes = field(repr=False)
    admin_token: str | None = field(default=None, repr=False)
    redis_password: str | None = field(default=None, repr=False)


def read(settings: Settings, environ: Mapping[str, str], state_dir: Path) -> Secrets:
    """The secrets that `settings` names in `environ`.

    With a private Redis, keys that are not named are generated at first use and kept in
    `state_dir`, readable by their owner only. Raises ConfigError for variables that are unset or
    hold too short a key, and for keys that must be named and aren't.
    """
    named = settings.secrets
    token, password = settings.server.admin.token_env, settings.events.password_env
    unset = [
        problem("the environment", "is not set", variable)
        for variable in (*named.ids_env, named.keys_env, token, password)
        if variable is not None and not environ.get(variable)
    ]
    if problems := [*unset, *keys(settings, environ)]:
        raise ConfigError("the environment", problems)
    ids = tuple(os.fsencode(environ[variable]) for variable in named.ids_env)
    return Secrets(
        ids or (_kept(state_dir / "ids.key"),),
        os.fsencode(environ[named.keys_env]) if named.keys_env else _kept(state_dir / "hmac.key"),
        environ[token] if token else None,
        environ[password] if password else None,
    )


def _kept(path: Path) -> bytes:
    """The key in `path`, generated if there is none; two processes that start at once share it."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(KEY_BYTES))
        with suppress(FileExistsError):  # another process was first: its key counts
            os.link(draft, path)
        draft.unlink()
    try:
        key = bytes.fromhex(path.read_text())
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise ConfigError(
            str(path), [problem(path.name, "is damaged; without it a new one is made")]
        )
    return key
