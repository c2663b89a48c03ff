"""OpenSearch's client: what it sends, and what it must not do."""

from __future__ import annotations

import logging
from contextlib import AsyncExitStack
from typing import Any
from urllib.parse import urlsplit

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import CredentialRetrievalError
from opensearchpy import AWSV4SignerAsyncAuth

from proxy.backends.cluster.node import Call
from proxy.backends.cluster.opensearch_py import Signer
from proxy.backends.cluster.trouble import Kind, Trouble
from proxy.backends.opensearch import Aws, OpenSearch
from tests.toxic import Asked, cut, reply, toxic

SEARCH = Call("POST", "/logs-*/_search", b'{"size": 1}', {"allow_no_indices": "false", "a": "b c"})


async def sent(**options: Any) -> tuple[Asked, str]:
    """The request that arrives, and where."""
    async with toxic() as server, AsyncExitStack() as stack:
        (node,) = await OpenSearch(hosts=(server.url,), **options).opened("shadow", stack)
        await node.ask(SEARCH)
    return server.asked[0], server.url


@pytest.mark.parametrize("service", ["es", "aoss"])
@pytest.mark.parametrize("token", [None, "session"])
async def test_requests_are_signed_for_amazon(
    service: str, token: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    What arrives is signed as botocore signs it: method, path, query, body, host and time.
    """
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI")
    if token:
        monkeypatch.setenv("AWS_SESSION_TOKEN", token)
    else:
        monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)

    asked, url = await sent(aws=Aws("eu-west-1", service))  # type: ignore[arg-type]

    scheme, _, fields = asked.headers["authorization"].partition(" ")
    given = dict(field.strip().split("=", 1) for field in fields.split(","))
    signed = given["SignedHeaders"].split(";")
    again = AWSRequest(
        asked.method,
        f"{url}{asked.path}",
        data=asked.body,
        headers={name: asked.headers[name] for name in signed if name != "host"},
    )
    again.context["timestamp"] = asked.headers["x-amz-date"]
    auth = SigV4Auth(Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI", token), service, "eu-west-1")
    canonical = auth.canonical_request(again)
    assert "AWS4-HMAC-SHA256" == scheme
    assert auth.signature(auth.string_to_sign(again, canonical), again) == given["Signature"]
    assert {"host", "x-amz-date", "x-amz-content-sha256"} <= set(signed)
    assert urlsplit(url).netloc == asked.headers["host"]
    assert f"/eu-west-1/{service}/aws4_request" in given["Credential"]
    assert token == asked.headers.get("x-amz-security-token")


async def test_connections_are_there_from_the_start() -> None:
    """
    The client makes its connection pool on its first call, and a hundred first calls at once would
    each make one.
    """
    async with toxic() as server, AsyncExitStack() as stack:
        client = await OpenSearch(hosts=(server.url,)).opened("live", stack)
        pool = client[0]._client._client.transport.connection_pool

        assert 1 == len(pool.connections)


@pytest.mark.parametrize(
    ("behaviour", "kind", "code"),
    [
        (reply({"error": {"type": "parsing_exception", "reason": "secret"}}, 400), Kind.STATUS,
         "parsing_exception"),
        (reply({"error": "secret", "status": 429}, 429), Kind.STATUS, ""),
        (cut, Kind.BROKEN, ""),
    ],
)  # fmt: skip
async def test_nothing_of_a_query_is_logged(
    behaviour: Any, kind: Kind, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    """
    The client logs addresses and bodies, at every level; warnings of the engine quote queries.
    """
    caplog.set_level(logging.DEBUG)
    warning = {"warning": '299 OpenSearch-2 "secret is deprecated"'}
    async with toxic(reply(headers=warning)) as server, AsyncExitStack() as stack:
        (node,) = await OpenSearch(hosts=(server.url,)).opened("live", stack)
        await node.ask(Call("POST", "/faq/_search", b'{"secret": 1}'))
    async with toxic(behaviour) as server, AsyncExitStack() as stack:
        (node,) = await OpenSearch(hosts=(server.url,)).opened("live", stack)
        with pytest.raises(Trouble) as caught:
            await node.ask(Call("POST", "/faq/_search", b'{"secret": 1}'))

    assert (kind, code) == (caught.value.kind, caught.value.code)
    assert "secret" not in caplog.text + repr(caught.value) + str(caught.value)


class Expiring:
    """Credentials of a role, which expire and have to be asked for anew; here nobody answers."""

    access_key, secret_key, token = "a", "b", None

    def refresh_needed(self) -> bool:
        return True

    def get_frozen_credentials(self) -> None:
        raise CredentialRetrievalError(provider="role", error_msg="secret")


async def test_credentials_that_cannot_be_renewed_are_a_failure_of_the_backends() -> None:
    """
    And no bug of ours.
    """
    expiring = Expiring()
    signer = Signer(AWSV4SignerAsyncAuth(expiring, "eu-west-1"), expiring)

    with pytest.raises(Trouble) as caught:
        await signer.headers("GET", "https://es:443/", None)

    assert Kind.UNSIGNED is caught.value.kind
    assert "secret" not in str(caught.value)
