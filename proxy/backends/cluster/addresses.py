"""How a node's address and a certificate's fingerprint have to look. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from yarl import URL

from config.problems import problem
from proxy.backends.cluster.tls import digits


def host_problems(where: str, host: str) -> Iterator[str]:
    """Why `host` is no URL of a node that we may ask."""
    try:
        url = URL(host)
        port = url.explicit_port
    except ValueError:
        yield problem(where, "is no URL", host)
        return
    if url.scheme not in ("http", "https") or not url.host:
        yield problem(where, "is no URL of a node, such as https://search.example:9200", host)
    elif url.user is not None or url.password is not None:
        what = "holds a name or a password; use username_env and password_env"
        yield problem(where, what)
    elif port is None:
        yield problem(where, "names no port: 9200 is the engines' own, 443 of most hosted", host)
    elif url.query_string or url.fragment:
        yield problem(where, "holds more than a path", host)


def is_sha256(fingerprint: str) -> bool:
    """Whether it may be a certificate's.

    >>> is_sha256("ab:" * 31 + "ab"), is_sha256("ab:cd"), is_sha256("no")
    (True, False, False)
    """
    try:
        return len(bytes.fromhex(digits(fingerprint))) == 32
    except ValueError:
        return False
