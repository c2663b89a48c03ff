from __future__ import annotations

import asyncio
import json
from typing import Any

import aiohttp
import pytest

from proxy.events.records import Event, Impression, Shadows
from proxy.routes import MAX_BODY


async def test_a_search_answers_with_documents(start, fruit):
    """
    Hits carry absolute ranks, scores and their documents; the total counts every match.
    """
    proxy = await start(fruit)

    status, said = await proxy.post("/v1/fruit/search", {"query": "fruit", "size": 3, "from": 2})

    assert 200 == status
    assert [3, 4, 5] == [hit["rank"] for hit in said["hits"]]
    assert [hit["id"] for hit in said["hits"]] == [hit["source"]["id"] for hit in said["hits"]]
    assert all(hit["score"] > 0 for hit in said["hits"])
    assert 11 == said["total"], "the mandatory filter hides one of twelve"
    assert said["took_ms"] > 0
    assert said["query_id"]


async def test_pages_continue_each_other(start, fruit):
    """
    Two pages of five are one page of ten.
    """
    proxy = await start(fruit)
    vector = [0.7, 0.7, 0.5]

    whole = await proxy.search(query="fruit", vector=vector, size=10)
    halves = [
        await proxy.search(query="fruit", vector=vector, size=5, **{"from": f}) for f in (0, 5)
    ]

    assert whole["hits"] == halves[0]["hits"] + halves[1]["hits"]


async def test_get_and_post_mean_the_same(start, fruit):
    """
    A URL's parameters are a body's keys.
    """
    proxy = await start(fruit)
    filters = [{"term": {"color": "red"}}]

    posted = await proxy.search(query="fruit", size=4, filters=filters)
    status, got = await proxy.get(
        "/v1/fruit/search", params={"q": "fruit", "size": "4", "filters": json.dumps(filters)}
    )

    assert 200 == status
    assert posted["hits"] == got["hits"]
    assert {"red"} == {hit["source"]["color"] for hit in got["hits"]}


async def test_a_search_shows_what_it_is_asked_for(start, fruit):
    """
    Filters, facets over all that matches, highlights and chosen fields, whatever the page's size.
    """
    proxy = await start(fruit)
    asked = {
        "query": "FRUIT",
        "filters": [{"range": {"year": {"gte": 2000}}}, {"exists": {"field": "year"}}],
        "facets": {"colors": {"field": "color", "size": 1}, "year": {"size": 20}},
    }

    said = await proxy.search(**asked, size=2, highlight=True, fields=["c*"])
    none = await proxy.search(**asked, size=0)

    assert [["color"], ["color"]] == [list(hit["source"]) for hit in said["hits"]]
    assert all("<em>fruit</em>" in hit["highlight"]["text"][0] for hit in said["hits"])
    assert said["facets"] == none["facets"]
    assert (said["total"], "eq") == (none["total"], none["total_relation"])
    assert 1 == len(said["facets"]["colors"])
    assert said["total"] == sum(year["count"] for year in said["facets"]["year"])


async def test_a_vector_asks_the_dense_leg(start, fruit):
    """
    The request's vector needs no embedder, and no text.
    """
    proxy = await start(fruit)

    said = await proxy.search(query="", vector=[0.0, 1.0, 0.5], size=1)

    assert ["d10"] == [hit["id"] for hit in said["hits"]]


async def test_a_leg_without_a_vector_is_named(start, fruit):
    """
    What was left out is said, and counted.
    """
    proxy = await start(fruit)

    said = await proxy.search()

    assert [{"stage": "leg:dense", "reason": "no_vector"}] == said["degraded"]
    await asyncio.sleep(0.05)
    labels = {"route": "fruit", "stage": "leg:dense", "reason": "no_vector"}
    assert 1 == proxy.count("shadowrank_degraded_total", **labels)


async def test_an_answer_is_an_impression_and_its_shadows(start, fruit, records):
    """
    The two records of one page say the same id, to the depth of ten.
    """
    proxy = await start(fruit)

    said = await proxy.search(query="fruit", size=2, user="anna", vector=[1, 0, 0.5])
    impression, shadows = await records(2)

    assert isinstance(impression, Impression)
    assert isinstance(shadows, Shadows)
    assert impression.id == shadows.id
    assert [hit["id"] for hit in said["hits"]] == list(impression.list[:2])
    assert 10 == len(impression.list)
    assert ("rrf60", ("rrf20", "bm25")) == (impression.pipeline, impression.sampled)
    assert ["ok", "ok"] == [result.status for result in shadows.results]
    assert all(result.own_legs == () for result in shadows.results), "every leg was shared"
    assert None is impression.text, "query text is not stored unless asked for"
    assert b"anna" not in repr(impression).encode()


@pytest.mark.parametrize("body", [{"size": 0}, {"type": "typeahead"}])
async def test_what_is_no_impression(start, fruit, body):
    """
    Counts, and what appears while typing, are served without a query id and leave no record.
    """
    proxy = await start(fruit)

    said = await proxy.search(query="fruit", **body)
    await asyncio.sleep(0.05)

    assert None is said["query_id"]
    assert 11 == said["total"]
    assert (said["hits"] == []) == ("size" in body)
    assert 0 == proxy.count("shadowrank_log_records_total", kind="impression", outcome="offered")


async def test_later_pages_have_no_shadows(start, fruit, records):
    """
    Only a first page is compared.
    """
    proxy = await start(fruit)

    await proxy.search(query="fruit", **{"from": 5})
    (impression,) = await records(1)

    assert () == impression.sampled
    assert 0 == proxy.count(
        "shadowrank_shadow_total", route="fruit", pipeline="bm25", outcome="sampled"
    )


BAD: list[tuple[bytes, int, str | None]] = [
    (b"not json", 400, None),
    (b"", 400, None),
    (b'{"query": "\\ud800"}', 400, None),
    (b'{"query": "a\\u0000"}', 400, "query"),
    (json.dumps({"query": "a" * 100_000}).encode(), 400, "query"),
    (b'{"query": "  "}', 400, "query"),
    (b'{"query": "a", "size": -1}', 400, "size"),
    (b'{"query": "a", "size": 1000000}', 400, "size"),
    (b'{"query": "a", "from": 95}', 400, "from"),
    (b'{"query": "a", "vector": [1, 2]}', 400, "vector"),
    (b'{"query": "a", "vector": [1, 2, NaN]}', 400, None),
    (b'{"query": "a", "filters": [{"term": {"text": "x"}}]}', 400, "filters[0].term"),
    (b'{"query": "a", "filters": [{"term": {"year": "red"}}]}', 400, "filters[0]"),
    (b'{"query": "a", "facets": ["nope"]}', 400, "facets[0]"),
    (b"[" * 100_000, 400, None),
    (b" " * (MAX_BODY + 1), 413, None),
    (b"x" * (10 << 20), 413, None),
]


@pytest.mark.parametrize(("body", "status", "field"), BAD)
async def test_a_bad_search_is_a_clear_error(start, fruit, body: bytes, status: int, field):
    """
    Each is refused in one shape, nothing is recorded, and the next search is served.
    """
    proxy = await start(fruit)

    got, said = await proxy.post("/v1/fruit/search", body)

    assert (status, field) == (got, said["error"]["field"])
    assert {"code", "message", "field", "value", "choices"} == said["error"].keys()
    assert (await proxy.search())["hits"]
    await asyncio.sleep(0.05)
    assert 1 == proxy.count("shadowrank_log_records_total", kind="impression", outcome="offered")


async def test_a_body_announced_too_large_is_not_read(start, fruit):
    """
    The refusal comes before the ten megabytes do.
    """
    proxy = await start(fruit)
    host, port = proxy.process.public
    reader, writer = await asyncio.open_connection(host, port)

    writer.write(b"POST /v1/fruit/search HTTP/1.1\r\nhost: x\r\ncontent-length: 10485760\r\n\r\n{")
    async with asyncio.timeout(1.0):
        head = await reader.readline()

    assert b"413" in head
    writer.close()


async def test_a_chunked_body_is_bounded_too(start, fruit):
    """
    Who announces nothing is stopped at the same size.
    """
    proxy = await start(fruit)

    async def endless():
        for _ in range(200):
            yield b"x" * 10_000

    async with proxy.session.post(proxy.url + "/v1/fruit/search", data=endless()) as got:
        assert 413 == got.status


async def test_a_compressed_body_is_refused(start, fruit):
    """
    Nothing is unpacked on anyone's behalf.
    """
    proxy = await start(fruit)

    got, said = await proxy.post("/v1/fruit/search", b"x", headers={"content-encoding": "gzip"})

    assert (415, "unsupported_media_type") == (got, said["error"]["code"])


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/", 404, "not_found"),
        ("GET", "/v1/nope/search?q=a", 404, "unknown_route"),
        ("GET", "/v1/%ff%00/search?q=a", 404, "unknown_route"),
        ("GET", "/v1/fruit/search?q=%00", 400, "bad_request"),
        ("GET", "/v1/fruit/search", 400, "bad_request"),
        ("DELETE", "/v1/fruit/search", 405, "method_not_allowed"),
        ("GET", "/v1/events", 405, "method_not_allowed"),
        ("GET", "/metrics", 404, "not_found"),
        ("POST", "/admin/reload", 404, "not_found"),
    ],
)
async def test_where_nothing_is(start, fruit, method, path, status, code):
    """
    Unknown paths, routes and methods have the same shape; the private port's paths aren't here.
    """
    proxy = await start(fruit)

    async with proxy.session.request(method, proxy.url + path) as got:
        said = await got.json()

    assert (status, code) == (got.status, said["error"]["code"])


async def test_no_leg_is_unavailable(start, scripted):
    """
    When nothing answered there is nothing to show: 503, soon to be tried again, without details.
    """
    proxy = await start(scripted({"fails": True}))

    asking = proxy.session.post(proxy.url + "/v1/fruit/search", data=b'{"query": "a"}')
    async with asking as got:
        said = await got.json()

    assert (503, "1") == (got.status, got.headers["retry-after"])
    assert "no_leg_answered" == said["error"]["code"]
    assert "scripted" not in json.dumps(said)
    assert 1 == proxy.count("shadowrank_request_seconds_count", route="fruit", outcome="no_leg")


async def test_lost_documents_degrade_the_page(start, scripted):
    """
    Ids, ranks and scores stand without their sources.
    """
    proxy = await start(scripted({"loses": True}))

    said = await proxy.search()

    assert [{"stage": "fetch", "reason": "error"}] == said["degraded"]
    assert [("a", None), ("b", None), ("c", None)] == [
        (hit["id"], hit["source"]) for hit in said["hits"]
    ]


async def test_who_leaves_takes_the_search_along(start, scripted, eventually):
    """
    The live work of a client that has gone is cancelled, counted and not recorded.
    """
    proxy = await start(scripted({"live": 0.4}))

    with pytest.raises(asyncio.TimeoutError):
        await proxy.post(
            "/v1/fruit/search", {"query": "a"}, timeout=aiohttp.ClientTimeout(total=0.1)
        )

    engine: Any = proxy.service.generation.lease.live.backends["main"]
    await eventually(lambda: engine.cancelled == 1)
    await eventually(
        lambda: (
            proxy.count("shadowrank_request_seconds_count", route="fruit", outcome="cancelled") == 1
        )
    )
    assert 0 == proxy.count("shadowrank_in_flight", role="live")
    assert 0 == proxy.count("shadowrank_log_records_total", kind="impression", outcome="offered")


def click(query_id: object, **more: object) -> dict[str, object]:
    return {"event_id": "e1", "query_id": query_id, "type": "click", "doc_id": "d1", **more}


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "text/plain; charset=UTF-8"])
async def test_an_event_is_recorded_as_received(start, fruit, records, kind):
    """
    A click reaches its impression's stream under the impression's id.
    """
    proxy = await start({**fruit, "routes": {"fruit": {**fruit["routes"]["fruit"], "shadows": {}}}})
    query_id = (await proxy.search())["query_id"]

    status, said = await proxy.post(
        "/v1/events", click(query_id, position=1), headers={"content-type": kind}
    )
    impression, event = await records(2)

    assert (202, {"accepted": 1, "refused": []}) == (status, said)
    assert isinstance(event, Event)
    assert (impression.id, "e1", "d1", 1) == (
        event.id,
        event.event_id,
        event.doc_id,
        event.position,
    )
    labels = {"route": "fruit", "type": "click", "outcome": "accepted"}
    assert 1 == proxy.count("shadowrank_events_total", **labels)


async def test_events_are_judged_one_by_one(start, fruit):
    """
    Good ones of a list are accepted, each bad one is refused with its place and reason.
    """
    proxy = await start(fruit)
    query_id = (await proxy.search())["query_id"]

    status, said = await proxy.post("/v1/events", [click(query_id), click("?"), 5, click(query_id)])

    assert (202, 2) == (status, said["accepted"])
    assert [(1, "shape"), (2, "invalid")] == [(r["index"], r["reason"]) for r in said["refused"]]


@pytest.mark.parametrize(
    ("raw", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"[]", "text/plain", 400),
        (b"a=b", "application/x-www-form-urlencoded", 415),
        (b" " * (MAX_BODY + 1), "application/json", 413),
    ],
)
async def test_bodies_that_hold_no_events(start, fruit, raw, kind, status):
    """
    Only a body that can't be read is an error.
    """
    proxy = await start(fruit)

    got, said = await proxy.post("/v1/events", raw, headers={"content-type": kind})

    assert status == got
    assert said["error"]["message"]
