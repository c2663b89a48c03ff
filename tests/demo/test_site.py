"""Requests to the services, against small servers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from aiohttp import ClientResponseError, ClientSession, web
from aiohttp.test_utils import TestServer

from demo.configuration import Ports
from demo.site import Site


async def echo(request: web.Request) -> web.Response:
    said = request.headers.get("Authorization")
    return web.json_response({"port": request.url.port, "said": said, **(await request.json())})


async def metrics(request: web.Request) -> web.Response:
    return web.Response(text="# TYPE up gauge\nup 1\n")


async def config(request: web.Request) -> web.Response:
    known = request.headers.get("Authorization") == "Bearer secret"
    return web.json_response({}, status=200 if known else 401)


async def not_yet(request: web.Request) -> web.Response:
    return web.json_response({}, status=503)


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    app = web.Application()
    app.router.add_post("/admin/explain", echo)
    app.router.add_post("/v1/r/search", echo)
    app.router.add_get("/metrics", metrics)
    app.router.add_get("/admin/config", config)
    app.router.add_get("/health/ready", not_yet)
    second = web.Application()
    second.router.add_post("/v1/r/search", echo)
    async with (
        TestServer(second, host="127.0.0.1") as public,
        TestServer(app, host="127.0.0.1") as private,
        ClientSession() as http,
    ):
        assert public.port is not None
        assert private.port is not None
        yield Site(http, Ports(public.port, private.port, private.port), "secret")


async def test_the_token_goes_to_the_private_port_alone(site: Site):
    """
    A search carries no credentials.
    """
    explained = await site.ask("/admin/explain", {"a": 1})
    searched = await site.ask("/v1/r/search", {"a": 1})

    assert {"port": site.ports.admin, "said": "Bearer secret", "a": 1} == explained
    assert {"port": site.ports.public, "said": None, "a": 1} == searched


async def test_an_error_answer_is_raised(site: Site):
    """
    No half-read page goes on as an answer.
    """
    with pytest.raises(ClientResponseError):
        await site.ask("/v1/unknown/search", {})


async def test_metrics_are_read(site: Site):
    """
    Of either service, by its address.
    """
    assert 1.0 == (await site.scrape(site.admin)).value("up")


async def test_the_proxy_is_ours_if_it_takes_our_token(site: Site):
    """
    Another demo's proxy is ready as well, and answers 401; so does nobody at a closed port.
    """
    assert await site.proxy_answers()
    assert not await replace(site, token="another").proxy_answers()
    assert not await replace(site, ports=Ports(1, 1, 1)).proxy_answers()


async def test_the_evaluator_answers_after_its_first_round(site: Site):
    """
    Until then its health says 503.
    """
    assert not await site.evaluator_answers()
