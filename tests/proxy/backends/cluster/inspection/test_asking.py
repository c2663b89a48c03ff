"""An inspection of what misbehaves; real clusters are inspected by the engines' tests."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack

import pytest

from proxy.backends import Read
from proxy.backends.cluster.inspection.asking import Inspection
from proxy.backends.registry import BACKENDS
from proxy.legs.lexical import Lexical
from tests.toxic import (
    ROOTS,
    Behaviour,
    cut,
    endless,
    garbage,
    half,
    hang,
    html,
    reply,
    toxic,
)

READS = (Read("legs.a", Lexical("main", "faq", ("title",))),)
MAPPING = reply({"faq": {"mappings": {"properties": {"title": {"type": "text"}}}}})
SOUND = {"/_mapping": MAPPING, "/_cluster/health/faq": reply({"status": "green"})}
LICENSE = {
    "error": {
        "type": "security_exception",
        "reason": "current license is non-compliant for [Reciprocal Rank Fusion (RRF)]",
    }
}


async def inspected(
    kind: str, *behaviour: Behaviour, paths: Mapping[str, Behaviour] | None = None
) -> list[str]:
    """What is said of a cluster whose parts behave so."""
    async with toxic(*behaviour, kind=kind, paths={**SOUND, **(paths or {})}) as server:
        return await asked(kind, server.url)


async def asked(kind: str, *hosts: str) -> list[str]:
    """What is said of the nodes there."""
    async with AsyncExitStack() as stack:
        nodes = await BACKENDS[kind](hosts=hosts).opened("live", stack)
        inspection = Inspection(nodes, kind, (), None, False, within=0.5)  # type: ignore[arg-type]
        return await inspection.sentences(READS)


@pytest.fixture(params=["elasticsearch", "opensearch"])
def kind(request: pytest.FixtureRequest) -> str:
    """Whose client it is."""
    name: str = request.param
    return name


async def test_what_is_sound_is_told_nothing(kind: str) -> None:
    """
    The table below is of single faults.
    """
    assert [] == await inspected(kind)


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (html(), "answers with a page and no JSON"),
        (half, "breaks its answer off"),
        (cut, "if it speaks TLS, write https://"),
        (garbage, "if it speaks TLS, write https://"),
        (hang, "takes the connection and answers nothing"),
        (endless(50 << 20), "answers with more than 32 MB"),
        (reply({"error": "x"}, 401), "wants a login"),
        (reply({"error": "x"}, 403), "grant `monitor`"),
        (reply(status=301, headers={"location": "/x"}), "sends us elsewhere"),
        (html(503), "answered 503: the engine is not up"),
        (reply({"a": 1}), "neither Elasticsearch nor OpenSearch"),
        (reply({"version": {"number": "7.17.9"}}), "7.17.9"),
        (
            reply({"version": {"number": "1.3.0", "distribution": "opensearch"}}),
            "1.3.0",
        ),
    ],
    ids="html half cut garbage hang 50MB 401 403 redirect 503 other es7 os1".split(),
)
async def test_what_answers_at_the_root(kind: str, behaviour: Behaviour, said: str) -> None:
    """
    One sentence each, for that node.
    """
    (told,) = await inspected(kind, paths={"/": behaviour})

    assert told.startswith("127.0.0.1:")
    assert said in told


async def test_the_other_product(kind: str) -> None:
    """
    Both say what they are in their own words, whatever the client thinks of it.
    """
    other = "opensearch" if kind == "elasticsearch" else "elasticsearch"
    root = reply(ROOTS[other], headers={"x-elastic-product": "none"})

    (told,) = await inspected(kind, paths={"/": root})

    assert f"use `kind: {other}`" in told


async def test_nobody_there(kind: str) -> None:
    """
    A port without a listener, a name without an address; the node that is right is asked on.
    """
    async with toxic(kind=kind, paths=SOUND) as server:
        told = await asked(kind, "http://127.0.0.1:9", server.url, "http://nowhere.invalid:9200")

    assert [True, True] == [
        "nothing listens there" in told[0], "its name is not known here" in told[1],
    ]  # fmt: skip
    assert 2 == len(told)


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        ({"/_mapping": reply({}, 404)}, "there is no index, alias or data stream 'faq'"),
        ({"/_mapping": reply({}, 403)}, "grant `read` and `view_index_metadata`"),
        ({"/_mapping": reply([1])}, "as no engine does"),
        ({"/_mapping": half}, "the answer broke off"),
        ({"/_cluster/health/faq": reply({"status": "red"})}, "is red"),
        ({"/_search": reply(LICENSE, 403)}, "licence has no Reciprocal Rank Fusion"),
        ({"/_search": hang}, "takes too long over it"),
        ({"/_search": endless(50 << 20)}, "the answer is too large"),
        ({"/_search": html()}, "can't answer it"),
    ],
    ids="missing forbidden strange half red license hang 50MB html".split(),
)
async def test_what_is_wrong_with_an_index(
    kind: str, paths: Mapping[str, Behaviour], said: str
) -> None:
    """
    One sentence each.
    """
    (told,) = await inspected(kind, paths=paths)

    assert said in told


async def test_health_that_may_not_be_seen_is_no_fault(kind: str) -> None:
    """
    Searching needs no right to see it.
    """
    assert [] == await inspected(kind, paths={"/_cluster/health/faq": reply({}, 403)})
