from __future__ import annotations

import asyncio

import pytest

from proxy.events.records import Impression, Shadows

FRUIT = {"match": {"text": "fruit"}}


async def test_a_search_is_answered_in_the_engine_s_shape(start, market):
    """
    What an unchanged client reads is where it looks for it.
    """
    proxy = await start(market)

    status, said = await proxy.post("/market/_search", {"query": FRUIT, "size": 2})
    _, own = await proxy.post("/v1/fruit/search", {"query": "fruit", "size": 2})

    assert 200 == status
    assert [hit["id"] for hit in own["hits"]] == [hit["_id"] for hit in said["hits"]["hits"]]
    assert [hit["score"] for hit in own["hits"]] == [hit["_score"] for hit in said["hits"]["hits"]]
    assert [hit["source"] for hit in own["hits"]] == [
        hit["_source"] for hit in said["hits"]["hits"]
    ]
    assert {"market"} == {hit["_index"] for hit in said["hits"]["hits"]}
    assert {"value": 11, "relation": "eq"} == said["hits"]["total"]
    assert said["hits"]["max_score"] == said["hits"]["hits"][0]["_score"]
    assert {"total": 1, "successful": 1, "skipped": 0, "failed": 0} == said["_shards"]
    assert False is said["timed_out"]
    assert isinstance(said["took"], int)


async def test_a_search_is_an_impression_with_shadows(start, market, records):
    """
    It is followed as any other, under the id that the answer carries, whatever id the client had.
    """
    proxy = await start(market)
    ext = {"ubi": {"query_id": "theirs", "client_id": "anna"}}
    asking = proxy.session.post(
        f"{proxy.url}/market/_search", json={"query": FRUIT, "ext": ext, "size": 3}
    )

    async with asking as got:
        said, headers = await got.json(), got.headers
    impression, shadows = await records(2)

    assert said["ext"]["ubi"]["query_id"] == headers["X-Query-Id"] != "theirs"
    assert isinstance(impression, Impression)
    assert isinstance(shadows, Shadows)
    assert [hit["_id"] for hit in said["hits"]["hits"]] == list(impression.list[:3])
    assert None is not impression.user
    assert ("rrf20", "bm25") == impression.sampled
    told = {"event_id": "e", "query_id": headers["X-Query-Id"], "type": "click", "doc_id": "d0"}
    assert (202, {"accepted": 1, "refused": []}) == await proxy.post("/v1/events", told)
    assert 1 == proxy.count("shadowrank_request_seconds_count", route="fruit", outcome="ok")


async def test_what_is_degraded_is_said(start, market):
    """
    In a header and in `ext`, since an engine has no word for a leg.
    """
    proxy = await start(market)
    asking = proxy.session.post(f"{proxy.url}/market/_search", json={"query": FRUIT})

    async with asking as got:
        said, headers = await got.json(), got.headers

    assert "leg:dense=no_vector" == headers["X-Degraded"]
    assert {"degraded": [{"stage": "leg:dense", "reason": "no_vector"}]} == said["ext"][
        "shadowrank"
    ]


async def test_filters_and_the_mandatory_filter_hold(start, market):
    """
    The twelfth document isn't published, whatever a client demands.
    """
    proxy = await start(market)
    green = {"bool": {"must": FRUIT, "filter": [{"term": {"color": "green"}}]}}
    query = {"bool": {"must": FRUIT, "filter": [{"range": {"year": {"gte": 2008}}}]}}

    _, some = await proxy.post("/market/_search", {"query": green, "size": 20})
    _, late = await proxy.post("/market/_search", {"query": query, "size": 20})

    assert {"green"} == {hit["_source"]["color"] for hit in some["hits"]["hits"]}
    assert {"d8", "d9", "d10"} == {hit["_id"] for hit in late["hits"]["hits"]}


async def test_parameters_say_what_a_body_could(start, market):
    """
    Clients put some of it into the URL.
    """
    proxy = await start(market)
    path = "/market/_search?size=1&from=1&_source_includes=color,year&track_total_hits=false"

    status, said = await proxy.post(path, {"query": FRUIT, "size": 5})

    assert 200 == status
    assert ["color", "year"] == sorted(said["hits"]["hits"][0]["_source"])
    assert 1 == len(said["hits"]["hits"])
    assert "total" not in said["hits"]


async def test_a_client_shapes_its_answer(start, market):
    """
    A total as a number, types before the names of aggregations, and only what is wanted of it.
    """
    proxy = await start(market)
    aggs = {"c": {"terms": {"field": "color"}}, "y": {"terms": {"field": "year"}},
            "m": {"max": {"field": "year"}}}  # fmt: skip
    path = "/market/_search?typed_keys=true&rest_total_hits_as_int=true"

    _, typed = await proxy.post(path, {"query": FRUIT, "size": 0, "aggs": aggs})
    _, cut = await proxy.post("/market/_search?filter_path=hits.hits._id", {"query": FRUIT})

    assert 11 == typed["hits"]["total"]
    assert {"sterms#c", "lterms#y", "max#m"} == typed["aggregations"].keys()
    assert 2010 == typed["aggregations"]["max#m"]["value"]
    assert ["hits"] == list(cut)
    assert {"_id"} == {key for hit in cut["hits"]["hits"] for key in hit}


async def test_highlights_and_facets_are_the_engine_s(start, market):
    """
    They stand where an engine puts them.
    """
    proxy = await start(market)
    body = {
        "query": {"match": {"text": "apple"}}, "size": 1,
        "highlight": {"fields": {"text": {}}, "pre_tags": ["["], "post_tags": ["]"]},
        "aggs": {"colors": {"terms": {"field": "color"}}},
    }  # fmt: skip

    _, said = await proxy.post("/market/_search", body)

    assert "[apple]" in said["hits"]["hits"][0]["highlight"]["text"][0]
    buckets = said["aggregations"]["colors"]["buckets"]
    assert {"green": 6, "red": 5} == {each["key"]: each["doc_count"] for each in buckets}


async def test_no_page_is_no_impression(start, market):
    """
    Without hits nothing was shown, so there is no id that an event could name.
    """
    proxy = await start(market)

    _, said = await proxy.post("/market/_search", {"query": FRUIT, "size": 0})
    await asyncio.sleep(0.05)

    assert ([], None, False) == (said["hits"]["hits"], said["hits"]["max_score"], "ext" in said)
    assert 11 == said["hits"]["total"]["value"]
    assert 0 == proxy.count("shadowrank_log_records_total", kind="impression", outcome="offered")


async def test_a_count_is_of_what_a_search_matches(start, market):
    """
    By the primary leg, under the mandatory filter.
    """
    proxy = await start(market)
    red = {"bool": {"must": FRUIT, "filter": {"term": {"color": "red"}}}}

    assert 11 == (await proxy.post("/market/_count", {"query": FRUIT}))[1]["count"]
    assert 5 == (await proxy.post("/market/_count", {"query": red}))[1]["count"]


@pytest.mark.parametrize(
    ("path", "body", "status", "reason"),
    [
        ("/market/_search", {"query": {"wildcard": {}}}, 403, "[query.wildcard] "),
        ("/market/_search", {"query": {"match_all": {}}}, 403, "[query] "),
        ("/market/_search", {"query": FRUIT, "size": 1000}, 403, "[size] "),
        ("/market/_search", b"{", 400, "the body is not valid JSON"),
        ("/market/_search", b"[" * 40, 400, "the body is nested deeper"),
        ("/market/_search?q=apple", {}, 400, "[?q] "),
        ("/market/_search?scroll=1m", {"query": FRUIT}, 400, "[?scroll] scrolls and points"),
        ("/market/_search?size=x", {"query": FRUIT}, 400, "[?size] "),
        ("/market/_count?q=apple", {}, 400, "[?q] "),
        ("/market/_count", {}, 403, "[query] "),
        ("/other/_search", {"query": FRUIT}, 403, "[index other] "),
        ("/market,other/_search", {"query": FRUIT}, 403, "[index market,other] "),
        ("/_all/_search", {"query": FRUIT}, 403, "[index _all] "),
        ("/mark*/_count", {"query": FRUIT}, 403, "[index mark*] "),
        ("/market/_search", {"query": {"bool": {"must": FRUIT, "filter": {
            "term": {"year": "x"}}}}}, 400, "[filters[0]] "),
    ],
)  # fmt: skip
async def test_what_is_refused_is_an_error_of_the_engine_s(
    start, market, path, body, status, reason
):
    """
    A client raises it as its own, with the reason.
    """
    proxy = await start(market)

    got, said = await proxy.post(path, body)

    assert (status, status) == (got, said["status"])
    assert said["error"]["reason"].startswith(reason), said
    assert said["error"]["root_cause"] == [
        {"type": said["error"]["type"], "reason": said["error"]["reason"]}
    ]


async def test_refusals_are_counted_as_searches_are(start, market):
    """
    Under their route, or under none where the index is none of ours.
    """
    proxy = await start(market)

    await proxy.post("/market/_search", {})
    await proxy.post("/other/_search", {})

    count = "shadowrank_request_seconds_count"
    assert 1 == proxy.count(count, route="fruit", outcome="bad_request")
    assert 1 == proxy.count(count, route="", outcome="bad_request")


async def test_nothing_is_asked_when_no_leg_answers(start, scripted):
    """
    An engine's outage is the engine's error, which clients may repeat.
    """
    config = scripted({"fails": True})
    config["routes"]["fruit"]["index"] = "market"
    proxy = await start(config)

    status, said = await proxy.post("/market/_search", {"query": FRUIT})

    assert (503, "search_phase_execution_exception") == (status, said["error"]["type"])


async def test_documents_that_are_lost_leave_a_page(start, scripted):
    """
    Ids and scores, and an empty document where a client would look for one.
    """
    config = scripted({"loses": True})
    config["routes"]["fruit"]["index"] = "market"
    proxy = await start(config)

    status, said = await proxy.post("/market/_search", {"query": FRUIT})

    assert 200 == status
    assert [("a", {}), ("b", {}), ("c", {})] == [
        (hit["_id"], hit["_source"]) for hit in said["hits"]["hits"]
    ]
    assert [{"stage": "fetch", "reason": "error"}] == said["ext"]["shadowrank"]["degraded"]
