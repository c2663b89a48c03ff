"""Addresses of nodes, and fingerprints."""

from __future__ import annotations

import pytest

from proxy.backends.cluster.addresses import host_problems, is_sha256


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("http://localhost:9200", None),
        ("https://es.example:443/search", None),
        ("http://[::1]:9200", None),
        ("localhost:9200", "is no URL of a node"),
        ("localhost", "is no URL of a node"),
        ("ftp://es:9200", "is no URL of a node"),
        ("http://", "is no URL of a node"),
        ("http://es:99999", "is no URL"),
        ("http://es", "names no port"),
        ("https://user:secret@es:9200", "holds a name or a password; use username_env"),
        ("http://es:9200/?pretty", "holds more than a path"),
    ],
)
def test_hosts(host: str, said: str | None) -> None:
    """
    A scheme, a name, a port; no password, which would be in the file and in logs.
    """
    (told, *more) = [*host_problems("hosts.0", host), None]

    assert len(more) == (said is not None)
    assert (said or "") in (told or "")
    assert "secret" not in (told or "")


@pytest.mark.parametrize(
    ("text", "so"), [("ab" * 32, True), ("AB:" * 31 + "AB", True), ("ab" * 20, False), ("x", False)]
)
def test_fingerprints(text: str, so: bool) -> None:
    """
    SHA-256; a SHA-1 is refused.
    """
    assert so == is_sha256(text)
