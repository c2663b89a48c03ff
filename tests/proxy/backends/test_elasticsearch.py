"""The Elasticsearch recipe: who we say we are, and where that comes from."""

from __future__ import annotations

import base64
from contextlib import AsyncExitStack
from typing import Any

import pytest

from proxy.backends.cluster.node import Call
from proxy.backends.elasticsearch import Elasticsearch
from tests.toxic import Asked, toxic

SEARCH = Call("POST", "/logs-*/_search", b'{"size": 1}', {"allow_no_indices": "false"})


async def sent(**options: Any) -> Asked:
    """The request that arrives."""
    async with toxic(kind="elasticsearch") as server, AsyncExitStack() as stack:
        (node,) = await Elasticsearch(hosts=(server.url,), **options).opened("shadow", stack)
        await node.ask(SEARCH)
    return server.asked[0]


async def test_who_we_are_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A name with its password, a key, or a token; nothing where nothing is said.
    """
    for name in ("ES_USER", "ES_PASSWORD", "ES_KEY", "ES_TOKEN"):
        monkeypatch.setenv(name, name.lower())

    basic = await sent(username_env="ES_USER", password_env="ES_PASSWORD")
    key = await sent(api_key_env="ES_KEY")
    bearer = await sent(bearer_env="ES_TOKEN")
    nobody = await sent()

    assert "Basic ZXNfdXNlcjplc19wYXNzd29yZA==" == basic.headers["authorization"]
    assert "ApiKey es_key" == key.headers["authorization"]
    assert "Bearer es_token" == bearer.headers["authorization"]
    assert "authorization" not in nobody.headers


def test_a_cloud_id_names_a_node(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    As the deployment's page shows it.
    """
    packed = base64.b64encode(b"eu.example:9243$abc$def").decode()
    monkeypatch.setenv("CLOUD_ID", f"deployment:{packed}")
    monkeypatch.setenv("NO_CLOUD_ID", "deployment")

    (node,) = Elasticsearch(cloud_id_env="CLOUD_ID").nodes()

    assert "https://abc.eu.example:9243" == str(node).rstrip("/")
    with pytest.raises(ValueError, match="cloud_id_env: holds no Cloud ID"):
        Elasticsearch(cloud_id_env="NO_CLOUD_ID").nodes()
