"""The OpenSearch recipe: who we say we are, and where that comes from."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

import pytest

from proxy.backends import Question
from proxy.backends.cluster.node import Call
from proxy.backends.opensearch import Aws, OpenSearch
from proxy.legs.lexical import Lexical
from tests.toxic import Asked, reply, toxic

SEARCH = Call("POST", "/logs-*/_search", b'{"size": 1}', {"allow_no_indices": "false", "a": "b c"})
LEG = Lexical("main", "faq", ("title",), timeout_ms=5000)


async def sent(**options: Any) -> tuple[Asked, str]:
    """The request that arrives, and where."""
    async with toxic() as server, AsyncExitStack() as stack:
        (node,) = await OpenSearch(hosts=(server.url,), **options).opened("shadow", stack)
        await node.ask(SEARCH)
    return server.asked[0], server.url


async def test_who_we_are_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A name with its password, or a token; nothing where nothing is said.
    """
    for name in ("OS_USER", "OS_PASSWORD", "OS_TOKEN"):
        monkeypatch.setenv(name, name.lower())

    basic, _ = await sent(username_env="OS_USER", password_env="OS_PASSWORD")
    bearer, _ = await sent(bearer_env="OS_TOKEN")
    nobody, _ = await sent()

    assert "Basic b3NfdXNlcjpvc19wYXNzd29yZA==" == basic.headers["authorization"]
    assert "Bearer os_token" == bearer.headers["authorization"]
    assert "authorization" not in nobody.headers
    assert ("shadowrank-shadow", "identity") == (
        nobody.headers["x-opaque-id"], nobody.headers["accept-encoding"],
    )  # fmt: skip


async def test_amazon_without_credentials_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    """
    When it is inspected, and when it is opened.
    """
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))

    (said,) = await OpenSearch(hosts=("https://127.0.0.1:9",), aws=Aws("eu-west-1")).inspect(
        "main", ()
    )

    assert "aws: no credentials are in the environment" in said


async def test_a_serverless_collection_is_not_asked_what_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """
    It has no root to ask.
    """
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
    async with toxic(paths={"/": reply({}, 404)}) as server:
        recipe = OpenSearch(hosts=(server.url,), aws=Aws("eu-west-1", "aoss"))
        async with recipe.open("main", "live") as backend:
            found = await backend.search(LEG, Question("red"))

    assert () == found.ranked.ids
    assert 0 == server.to("/")


def test_signing_needs_botocore(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Which is installed on demand.
    """
    recipe = OpenSearch(hosts=("https://es:9200",), aws=Aws("eu-west-1"))
    there = recipe.faults()
    monkeypatch.setattr("proxy.backends.opensearch.SIGNING", "no_such_package")

    assert [] == there
    assert ["aws: needs botocore: pip install 'shadowrank[aws]'"] == recipe.faults()
