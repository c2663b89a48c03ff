from __future__ import annotations

import pytest

FRUIT = {"query": {"match": {"text": "fruit"}}}
VND = "application/vnd.elasticsearch+json; compatible-with="


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("*/*", "application/json"),
        (f"{VND}8", "application/vnd.elasticsearch+json;compatible-with=8"),
        (f"{VND}9,text/plain", "application/vnd.elasticsearch+json;compatible-with=9"),
    ],
)
@pytest.mark.parametrize("path", ["/market/_search", "/other/_search"])
async def test_answers_and_errors_have_the_type_that_is_asked_for(
    start, market, accept, expected, path
):
    """
    And the header without which Elasticsearch's clients refuse to talk.
    """
    proxy = await start(market)
    asking = proxy.session.post(proxy.url + path, json=FRUIT, headers={"accept": accept})

    async with asking as got:
        assert expected == got.headers["content-type"]
        assert "Elasticsearch" == got.headers["x-elastic-product"]


async def test_a_client_of_another_version_is_told(start, market):
    """
    In the shape that it can still read.
    """
    proxy = await start(market)

    status, said = await proxy.post("/market/_search", FRUIT, headers={"accept": f"{VND}7"})

    assert 400 == status
    assert "a client compatible with version 7 is not served" in said["error"]["reason"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"content-type": "application/x-ndjson"}, 200),
        ({"content-type": f"{VND}8"}, 200),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
        ({"content-encoding": "gzip"}, 415),
    ],
)
async def test_a_body_is_json_and_says_so(start, market, headers, status):
    """
    No page elsewhere can send that without asking first.
    """
    proxy = await start(market)

    assert status == (await proxy.post("/market/_search", FRUIT, headers=headers))[0]


async def test_a_body_that_is_too_large_is_the_engine_s_error(start, market):
    """
    It isn't read.
    """
    proxy = await start(market)

    status, said = await proxy.post("/market/_search", b" " * 300_000)

    assert (413, "content_too_long_exception") == (status, said["error"]["type"])


async def test_a_bug_is_the_engine_s_error_and_logged(start, market, caplog, monkeypatch):
    """
    It says nothing outside.
    """
    proxy = await start(market)
    monkeypatch.setattr(proxy.service, "search", None)

    status, said = await proxy.post("/market/_search", FRUIT)

    assert (500, "an internal error") == (status, said["error"]["reason"])
    assert "request failed" in caplog.messages


async def test_without_an_index_there_is_no_such_api(start, fruit):
    """
    Its paths don't exist, in the shape of everything else here.
    """
    proxy = await start(fruit)

    for path in ("/", "/fruit/_search", "/_msearch", "/fruit/_doc/1", "/nowhere"):
        status, said = await proxy.get(path)
        assert (404, "not_found") == (status, said["error"]["code"])
