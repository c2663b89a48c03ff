from __future__ import annotations

import json

import pytest

from proxy.events.records import Impression

FRUIT = {"query": {"match": {"text": "fruit"}}, "size": 1}


def lines(*several: object) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in several)


async def test_each_search_has_its_own_answer(start, market, records):
    """
    And its own impression.
    """
    proxy = await start(market)
    body = lines({"index": "market"}, FRUIT, {"index": ["market"]}, {**FRUIT, "size": 2})

    status, said = await proxy.post("/_msearch", body)

    assert 200 == status
    assert [200, 200] == [each["status"] for each in said["responses"]]
    assert [1, 2] == [len(each["hits"]["hits"]) for each in said["responses"]]
    assert 2 == len({each["ext"]["ubi"]["query_id"] for each in said["responses"]})
    assert 2 == sum(isinstance(each, Impression) for each in await records(4))
    assert 2 == proxy.count("shadowrank_request_seconds_count", route="fruit", outcome="ok")


@pytest.mark.parametrize(
    ("path", "header", "reason"),
    [
        ("/_msearch", {"index": "other"}, "[index other] "),
        ("/_msearch", {"index": ["market", "other"]}, "[header.index] "),
        ("/_msearch", {"index": "market,other"}, "[index market,other] "),
        ("/_msearch", {"index": "_all"}, "[index _all] "),
        ("/_msearch", {"index": 1}, "[header.index] "),
        ("/_msearch", {}, "[header.index] is missing"),
        ("/_msearch", {"index": "market", "routing": "x"}, "[header.routing] "),
        ("/_msearch", [], "[header] "),
        ("/market/_msearch", {"index": "other"}, "[header.index] is another index"),
    ],
)
async def test_one_search_s_refusal_is_its_own(start, market, path, header, reason):
    """
    The others are answered.
    """
    proxy = await start(market)

    status, said = await proxy.post(path, lines(header, FRUIT, {"index": "market"}, FRUIT))
    refused, answered = said["responses"]

    assert (200, 200) == (status, answered["status"])
    assert refused["status"] in (400, 403)
    assert refused["error"]["reason"].startswith(reason)


async def test_a_search_that_is_not_recognised_is_refused_alone(start, market):
    """
    With its path.
    """
    proxy = await start(market)

    _, said = await proxy.post("/market/_msearch", lines({}, {"query": {"script": {}}}, {}, FRUIT))

    assert [403, 200] == [each["status"] for each in said["responses"]]
    assert said["responses"][0]["error"]["reason"].startswith("[query.script] ")


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/_msearch", b"", 400),
        ("/_msearch", lines({}), 400),
        ("/_msearch", lines(*[{"index": "market"}, FRUIT] * 21), 400),
        ("/other/_msearch", lines({}, FRUIT), 403),
        ("/_msearch?scroll=1m", lines({}, FRUIT), 400),
    ],
)
async def test_what_is_no_multisearch(start, market, path, body, status):
    """
    Nothing of it is asked.
    """
    proxy = await start(market)

    assert status == (await proxy.post(path, body))[0]
    assert 0 == proxy.count("shadowrank_request_seconds_count", route="fruit", outcome="ok")
