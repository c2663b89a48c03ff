from __future__ import annotations

import logging

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from proxy.app import errors

SHOP = "https://shop.example"


async def test_pages_of_named_origins_may_call(start, fruit):
    """
    A preflight is answered, and the answer may be read by exactly that origin.
    """
    proxy = await start(fruit)
    url, headers = proxy.url + "/v1/fruit/search", {"origin": SHOP}

    async with proxy.session.options(url, headers=headers) as preflight:
        assert 204 == preflight.status
        assert SHOP == preflight.headers["access-control-allow-origin"]
        assert "content-type" == preflight.headers["access-control-allow-headers"]
    async with proxy.session.get(url, params={"q": "apple"}, headers=headers) as got:
        assert (200, SHOP) == (got.status, got.headers["access-control-allow-origin"])
        assert "Origin" == got.headers["vary"]


@pytest.mark.parametrize("origin", ["https://shop.example.evil", "http://shop.example", "null"])
async def test_other_pages_may_not(start, fruit, origin):
    """
    No other origin is reflected.
    """
    proxy = await start(fruit)
    url, headers = proxy.url + "/v1/fruit/search", {"origin": origin}

    async with proxy.session.options(url, headers=headers) as preflight:
        assert 403 == preflight.status
        assert "access-control-allow-origin" not in preflight.headers
    async with proxy.session.get(url, params={"q": "apple"}, headers=headers) as got:
        assert "access-control-allow-origin" not in got.headers


async def test_without_origins_there_is_no_cors(start, fruit):
    """
    A preflight is a method like any other that isn't there.
    """
    fruit["server"]["cors_origins"] = []
    proxy = await start(fruit)

    url = proxy.url + "/v1/fruit/search"
    async with proxy.session.options(url, headers={"origin": SHOP}) as preflight:
        assert 405 == preflight.status
        assert "vary" not in preflight.headers


async def test_a_bug_says_nothing_outside(caplog: pytest.LogCaptureFixture):
    """
    It is logged with its type and answered without its message.
    """

    async def broken(request: web.Request) -> web.Response:
        raise RuntimeError("what the user typed")

    app = web.Application(middlewares=[errors])
    app.router.add_get("/", broken)

    async with TestClient(TestServer(app)) as client, client.get("/") as got:
        said = await got.text()

    assert 500 == got.status
    assert "what the user typed" not in said
    assert ["request failed"] == [
        record.message for record in caplog.records if record.levelno == logging.ERROR
    ]


@pytest.mark.parametrize("path", ["/v1/fruit/search?q=a", "/v1/nowhere/search", "/", "/elsewhere"])
async def test_nothing_says_what_we_are_made_of(start, fruit, path):
    """
    Neither an answer nor an error, of either port, names a server or its version.
    """
    proxy = await start(fruit)

    for url in (proxy.url + path, proxy.admin + "/metrics", proxy.admin + "/health/live"):
        async with proxy.session.get(url) as got:
            assert "server" not in got.headers


@pytest.mark.parametrize("path", ["/v1/fruit/search", "/fruit/_search", "/elsewhere"])
async def test_an_error_before_any_handler_has_its_apis_shape(start, fruit, path):
    """
    An expectation that isn't met is told without repeating it.
    """
    fruit["routes"]["fruit"]["index"] = "fruit"
    proxy = await start(fruit)

    status, said = await proxy.post(path, b"{}", headers={"expect": "secret"})

    assert 417 == status
    assert ("root_cause" in said["error"]) is not path.startswith("/v1")
    assert "secret" not in str(said)


async def test_without_an_index_such_an_error_is_ours(start, fruit):
    """
    Where no route has an index there is no other API.
    """
    proxy = await start(fruit)

    status, said = await proxy.post("/fruit/_search", b"{}", headers={"expect": "secret"})

    assert (417, "error") == (status, said["error"]["code"])
