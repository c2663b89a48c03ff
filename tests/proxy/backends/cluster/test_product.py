"""What answers, from its own words."""

from __future__ import annotations

import json

import pytest

from proxy.backends.cluster.product import Unusable, engine_of
from proxy.backends.cluster.requests import Engine
from proxy.backends.cluster.requests.target import EngineKind


def root(number: str, distribution: str | None = None) -> bytes:
    """What an engine says at its root."""
    version = {"number": number} | ({"distribution": distribution} if distribution else {})
    return json.dumps({"name": "node", "version": version, "tagline": "…"}).encode()


@pytest.mark.parametrize(
    ("kind", "number", "distribution", "version"),
    [
        ("elasticsearch", "8.19.0", None, (8, 19)),
        ("elasticsearch", "9.2.0-SNAPSHOT", None, (9, 2)),
        ("opensearch", "2.19.1", "opensearch", (2, 19)),
        ("opensearch", "3.5.0", "opensearch", (3, 5)),
    ],
)
def test_what_is_served(
    kind: EngineKind, number: str, distribution: str | None, version: tuple[int, int]
) -> None:
    """
    Two majors of each.
    """
    assert Engine(kind, version) == engine_of(kind, root(number, distribution))


@pytest.mark.parametrize(
    ("expected", "body", "sentence"),
    [
        ("elasticsearch", root("2.19.1", "opensearch"), "use `kind: opensearch`"),
        ("opensearch", root("8.19.0"), "this is Elasticsearch 8.19.0: use `kind: elasticsearch`"),
        ("elasticsearch", root("7.17.9"), "Elasticsearch 7.17.9 is too old"),
        ("opensearch", root("1.3.2", "opensearch"), "OpenSearch 1.3.2 is too old"),
        ("opensearch", root("7.10.2", "opensearch"), "override_main_response_version"),
        ("elasticsearch", root("10.0.0"), "upgrade shadowrank"),
        ("opensearch", b"{}", "neither Elasticsearch nor OpenSearch"),
        ("opensearch", b"<html>", "neither Elasticsearch nor OpenSearch"),
        ("opensearch", root("beta"), "neither Elasticsearch nor OpenSearch"),
    ],
)
def test_what_is_not_says_what_to_do(expected: EngineKind, body: bytes, sentence: str) -> None:
    """
    Another product, a version before or after those known, something else altogether.
    """
    with pytest.raises(Unusable, match=sentence.replace("(", r"\(")):
        engine_of(expected, body)
