"""How a model service is reached: its address, the key it wants, what its certificate is worth."""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from config.errors import ConfigError
from config.problems import problem


@dataclass(frozen=True, slots=True)
class Access:
    """The way to a service: a call ends after `seconds`, `concurrency` of them run at once."""

    url: str
    key: str | None = field(repr=False)
    tls: ssl.SSLContext
    seconds: float
    concurrency: int


def key(where: str, variable: str | None) -> str | None:
    """The key that `variable` holds. Raises ConfigError where it holds none that can be sent."""
    if variable is None:
        return None
    value = os.environ.get(variable, "").strip()
    if not value:
        raise ConfigError(where, [problem("api_key_env", "is not set", variable)])
    if not value.isascii() or not value.isprintable() or " " in value:
        raise ConfigError(where, [problem("api_key_env", "holds no key", variable)])
    return value


def tls(where: str, ca_file: Path | None) -> ssl.SSLContext:
    """Certificates are always verified: by the system's authorities, or by those in `ca_file`."""
    try:
        return ssl.create_default_context(cafile=ca_file)
    except (OSError, ValueError) as exc:  # ssl.SSLError is an OSError
        why = f"holds no certificate authority ({type(exc).__name__})"
        raise ConfigError(where, [problem("ca_file", why, str(ca_file))]) from exc


def check_url(url: str) -> None:
    """Raises ValueError for what is no plain address; a key in it would be shown with it."""
    try:
        parts = urlsplit(url)
        sound = bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound or parts.scheme not in ("http", "https"):
        raise ValueError(f"url: {url!r} is no http:// or https:// address")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("url: has more than a host and a path; a key belongs in api_key_env")
