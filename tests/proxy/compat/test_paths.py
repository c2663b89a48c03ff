from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1/events", 405, "method_not_allowed"),
        ("PUT", "/v1/fruit/search", 405, "method_not_allowed"),
        ("POST", "/v1/nowhere/search", 404, "unknown_route"),
        ("GET", "/v1/nothing", 404, "not_found"),
        ("GET", "/v1", 404, "not_found"),
    ],
)
async def test_the_other_api_keeps_its_errors(start, market, method, path, status, code):
    """
    What begins with /v1 is none of the engine's.
    """
    proxy = await start(market)

    async with proxy.session.request(method, proxy.url + path, json={"query": "a"}) as got:
        assert (status, code) == (got.status, (await got.json())["error"]["code"])


async def test_a_body_may_come_with_get(start, market):
    """
    As older clients send it.
    """
    proxy = await start(market)
    body = {"query": {"match": {"text": "fruit"}}}

    for path in ("/market/_search", "/market/_count"):
        async with proxy.session.get(proxy.url + path, json=body) as got:
            assert 200 == got.status
