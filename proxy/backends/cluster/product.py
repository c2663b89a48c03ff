"""What answers at an address, in its own words, and whether we can work with it."""

from __future__ import annotations

from typing import Final

import msgspec

from proxy.backends.cluster.requests import Engine
from proxy.backends.cluster.requests.target import EngineKind

NAMES: Final[dict[EngineKind, str]] = {
    "elasticsearch": "Elasticsearch",
    "opensearch": "OpenSearch",
}
SERVED: Final[dict[EngineKind, tuple[int, int]]] = {
    "elasticsearch": (8, 9),
    "opensearch": (2, 3),
}
"""The first and the last major version that each is tested with."""


class Unusable(Exception):
    """What answers can't be used; says what it is and what to do."""


class _Version(msgspec.Struct):
    number: str = ""
    distribution: str = ""


class _Root(msgspec.Struct):
    version: _Version
    tagline: str = ""


def engine_of(expected: EngineKind, body: bytes) -> Engine:
    """The engine that said `body` of itself, at its root. Raises Unusable.

    >>> engine_of("opensearch", b'{"version": {"distribution": "opensearch", "number": "2.19.1"}}')
    Engine(kind='opensearch', version=(2, 19))
    """
    try:
        root = msgspec.json.decode(body, type=_Root)
        major, minor = (int(part) for part in root.version.number.split(".")[:2])
    except (msgspec.MsgspecError, ValueError):
        raise Unusable(
            "what answers there is neither Elasticsearch nor OpenSearch; check `hosts`"
        ) from None
    kind: EngineKind = (
        "opensearch" if root.version.distribution == "opensearch" else "elasticsearch"
    )
    number = root.version.number
    if kind != expected:
        raise Unusable(f"this is {NAMES[kind]} {number}: use `kind: {kind}`")
    first, last = SERVED[kind]
    # An OpenSearch that claims to be 7.10 for old clients' sake is a 1 or 2 with an override set.
    if kind == "opensearch" and (major, minor) == (7, 10):
        raise Unusable(
            f"this OpenSearch calls itself {number}: set "
            "`compatibility.override_main_response_version` to false"
        )
    if major < first:
        raise Unusable(
            f"{NAMES[kind]} {number} is too old: {NAMES[kind]} {first} to {last} are served; "
            "upgrade the cluster"
        )
    if major > last:
        raise Unusable(
            f"{NAMES[kind]} {number} is newer than this release knows: {NAMES[kind]} {first} to "
            f"{last} are served; upgrade shadowrank"
        )
    return Engine(kind, (major, minor))
