from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

import pytest

from proxy.events.records import Impression, Shadows


async def test_text_is_stored_where_the_configuration_says_so(start, fruit, records):
    """
    And only there: by default a query is its hash.
    """
    fruit["events"]["store_query_text"] = True
    fruit["routes"]["fruit"]["shadows"] = {}
    proxy = await start(fruit)

    await proxy.search(query="Fig  tree")
    (impression,) = await records(1)

    assert isinstance(impression, Impression)
    assert "Fig  tree" == impression.text


async def test_a_users_records_stay_on_one_shard(start, fruit, records):
    """
    Searches and events of a user are in one stream, others spread.
    """
    fruit["routes"]["fruit"]["shadows"] = {}
    proxy = await start(fruit)

    ids = [(await proxy.search(user="anna"))["query_id"] for _ in range(5)]
    others = [(await proxy.search(user=f"u{n}"))["query_id"] for n in range(20)]
    await records(25)

    shards = [proxy.service.issuer.read(query_id).shard for query_id in ids]
    assert 1 == len(set(shards))
    assert {0, 1} == {proxy.service.issuer.read(query_id).shard for query_id in others}


async def test_the_same_question_has_the_same_key(start, fruit, records):
    """
    Whoever asks and however it is typed; a filter makes it another question.
    """
    fruit["routes"]["fruit"]["shadows"] = {}
    proxy = await start(fruit)

    await proxy.search(query="Fig", user="a")
    await proxy.search(query="  fig? ", user="b")
    await proxy.search(query="fig", filters=[{"term": {"color": "red"}}])
    keys = Counter(record.query_key for record in await records(3))

    assert [2, 1] == sorted(keys.values(), reverse=True)


async def test_shares_split_the_traffic(start, fruit, records):
    """
    Two live pipelines both answer, and each impression says which did.
    """
    fruit["routes"]["fruit"] |= {"live": {"rrf60": 0.5, "bm25": 0.5}, "shadows": {}}
    proxy = await start(fruit)

    await asyncio.gather(*(proxy.search(user=f"u{n}") for n in range(60)))
    served = Counter(record.pipeline for record in await records(60))

    assert {"rrf60", "bm25"} == served.keys()
    assert min(served.values()) > 12


async def test_the_mandatory_filter_cannot_be_lifted(start, fruit):
    """
    Whatever a caller filters by, the route's own filter stands.
    """
    proxy = await start(fruit)

    said = await proxy.search(query="date", filters=[{"term": {"year": 2011}}])

    assert ([], 0) == (said["hits"], said["total"])


async def test_a_rate_is_the_share_that_is_sampled(start, fruit, records):
    """
    Shadows are drawn by query, nested: who has the smaller rate sees part of what the other sees.
    """
    fruit["routes"]["fruit"]["shadows"] = {"rrf20": 0.2, "bm25": 0.6}
    proxy = await start(fruit)

    for _ in range(10):
        await asyncio.gather(*(proxy.search(size=1) for _ in range(20)))
    found = [r.sampled for r in await records(300) if isinstance(r, Impression)]

    assert {(), ("bm25",), ("rrf20", "bm25")} == set(found)
    assert 85 < sum("bm25" in each for each in found) < 155
    assert 15 < sum("rrf20" in each for each in found) < 70


async def test_a_pipeline_never_shadows_its_own_page(start, fruit, records):
    """
    What it earned on its own clicks isn't mixed with what it would have earned on another's.
    """
    fruit["routes"]["fruit"] |= {"live": {"rrf60": 0.5, "bm25": 0.5}, "shadows": {"bm25": 1.0}}
    proxy = await start(fruit)

    await asyncio.gather(*(proxy.search(size=1, user=f"u{n}") for n in range(30)))
    found = {(r.pipeline, r.sampled) for r in await records(35) if isinstance(r, Impression)}

    assert {("rrf60", ("bm25",)), ("bm25", ())} == found


async def test_nothing_of_a_user_is_logged(start, fruit, caplog, capfd):
    """
    Neither the text nor the user nor a document is in any log line, at any level.
    """
    caplog.set_level("DEBUG")
    proxy = await start(fruit)

    await proxy.search(query="quincejelly", user="anna-lena")
    await proxy.post("/v1/fruit/search", {"query": "quincejelly", "size": -5})
    await asyncio.sleep(0.05)

    lines = [json.dumps(vars(r), default=str) for r in caplog.records if r.name.startswith("proxy")]
    assert any('"search"' in line for line in lines)
    assert not [line for line in lines if "quincejelly" in line or "anna" in line]


def cost(proxy: Any, pipeline: str, model: str, outcome: str = "ok") -> tuple[float, ...]:
    """Calls, documents and cost of a pipeline."""
    labels = {"route": "fruit", "pipeline": pipeline, "model": model}
    return (
        proxy.count("shadowrank_model_calls_total", **labels, outcome=outcome),
        proxy.count("shadowrank_model_documents_total", **labels),
        proxy.count("shadowrank_model_cost_total", **labels),
    )


@pytest.fixture
def priced(fruit) -> dict[str, Any]:
    """Live reranks what bm25 found; a shadow does the same, another judges what is near."""
    fruit["rerankers"] = {"judge": {"kind": "scripted", "text": ["text"], "price_per_1000": 2.0}}
    fruit["embedders"] = {"made": {"kind": "scripted", "price_per_1000": 0.5, "remembered": "fig"}}
    fruit["legs"]["dense"]["embedder"] = "made"
    fruit["legs"]["text"] = {**fruit["legs"]["bm25"], "window": 50}
    fruit["pipelines"] |= {
        "judged": {"legs": ["bm25"], "rerank": "judge"},
        "same": {"legs": ["text"], "rerank": "judge"},
        "near": {"legs": ["dense"], "rerank": "judge"},
    }
    shadows = {"same": 1.0, "near": 1.0, "bm25": 1.0}
    fruit["routes"]["fruit"] |= {"live": {"judged": 1.0}, "shadows": shadows, "primary": "bm25"}
    return fruit


async def test_documents_are_reranked_by_their_text(start, priced):
    """
    The longest of the first five comes first; the judge saw their text and nothing else.
    """
    proxy = await start(priced)

    said = await proxy.search(query="fruit", size=5)

    judge: Any = proxy.service.generation.lease.live.rerankers["judge"]
    ((shortlist),) = judge.asked
    assert set(shortlist.ids) == shortlist.texts.keys() == {hit["id"] for hit in said["hits"]}
    shown = {hit["id"]: hit["source"]["text"] for hit in said["hits"]}
    assert shown == dict(shortlist.texts)
    assert sorted(map(len, shown.values()), reverse=True) == [hit["score"] for hit in said["hits"]]


async def test_a_call_is_charged_to_each_pipeline_that_needs_it(start, priced, records):
    """
    Live and the shadow of the same candidates share one call, the other makes its own; who needs
    none pays none.
    """
    proxy = await start(priced)

    await proxy.search(query="melon")
    await records(2)

    live, shadow = proxy.service.generation.lease.live, proxy.service.generation.lease.shadow
    asked: Any = [len(role.rerankers["judge"].asked) for role in (live, shadow)]
    assert [1, 1] == asked
    assert [(1, 5, 0.002)] * 3 == [
        cost(proxy, name, "judge-1") for name in ("judged", "same", "near")
    ]
    assert (1, 1, 0.0005) == cost(proxy, "near", "embed-1")
    assert (0, 0, 0) == cost(proxy, "judged", "embed-1") == cost(proxy, "bm25", "judge-1")


async def test_what_an_embedder_remembers_is_no_call(start, priced, records):
    """
    It costs nothing.
    """
    proxy = await start(priced)

    await proxy.search(query="fig")
    await records(2)

    assert (0, 0, 0) == cost(proxy, "near", "embed-1")
    assert 1 == cost(proxy, "near", "judge-1")[0]


@pytest.mark.parametrize(
    ("script", "outcome", "price"),
    [({"fails": True}, "error", 0.0), ({"delay": 5.0, "timeout_ms": 20}, "timeout", 0.002)],
)
async def test_a_rerank_that_failed_is_counted(start, priced, records, script, outcome, price):
    """
    The fused order stands, the stage is degraded for its reason, and so is each who needed it.
    """
    priced["rerankers"]["judge"] |= script
    proxy = await start(priced)

    said = await proxy.search(query="apple fruit")
    found = await records(2)

    assert [{"stage": "rerank", "reason": outcome}] == said["degraded"]
    assert all(hit["score"] is not None for hit in said["hits"])
    degraded = {"route": "fruit", "stage": "rerank", "reason": outcome}
    assert 1 == proxy.count("shadowrank_degraded_total", **degraded)
    assert (1, 5, price) == cost(proxy, "judged", "judge-1", outcome)
    assert (1, 5, price) == cost(proxy, "near", "judge-1", outcome)
    (shadows,) = [record for record in found if isinstance(record, Shadows)]
    near, same = [each for each in shadows.results if each.pipeline != "bm25"]
    assert (("rerank", outcome),) == near.degraded == same.degraded


async def test_a_search_that_failed_is_charged_for_its_call(start, scripted):
    """
    The embedding was made before the engine failed.
    """
    config = scripted({"fails": True})
    config["embedders"] = {"made": {"kind": "scripted", "price_per_1000": 0.5}}
    config["legs"]["mine"] = {
        "kind": "knn", "index": "x", "backend": "main", "field": "e", "embedder": "made",
    }  # fmt: skip
    proxy = await start(config)

    status, _ = await proxy.post("/v1/fruit/search", {"query": "apple"})

    assert 503 == status
    assert (1, 1, 0.0005) == cost(proxy, "live", "embed-1")


async def test_a_client_that_leaves_has_cost_its_call(start, priced, eventually):
    """
    The reranker was at work when it left.
    """
    priced["rerankers"]["judge"] |= {"delay": 60.0, "timeout_ms": 60_000}
    priced["routes"]["fruit"]["shadows"] = {}
    proxy = await start(priced)
    live: Any = proxy.service.generation.lease.live

    leaving = asyncio.create_task(proxy.search(query="melon"))
    await eventually(lambda: live.rerankers["judge"].asked)
    leaving.cancel()

    await eventually(lambda: cost(proxy, "judged", "judge-1", "cancelled")[0])
    assert (1, 5, 0.002) == cost(proxy, "judged", "judge-1", "cancelled")


async def test_counts_alone_ask_the_primary_leg_alone(start, scripted):
    """
    One request to the engine, no documents, no record; its failure is the search's.
    """
    proxy = await start(scripted())
    said = await proxy.search(size=0)

    engine: Any = proxy.service.generation.lease.live.backends["main"]
    assert ([], 3, []) == (said["hits"], said["total"], said["degraded"])
    assert 1 == len(engine.asked)
    assert 1 == proxy.count("shadowrank_stage_seconds_count", route="fruit", stage="count")


async def test_a_count_that_fails_is_an_error(start, scripted):
    """
    There is nothing else to say.
    """
    proxy = await start(scripted({"fails": True}))

    status, said = await proxy.post("/v1/fruit/search", {"query": "apple", "size": 0})

    assert (503, "no_leg_answered") == (status, said["error"]["code"])


async def test_counts_alone_are_of_the_primary_leg_whoever_is_live(start, fruit):
    """
    A hybrid is shown bm25's total; so is who asks a pipeline without bm25 for counts alone.
    """
    fruit["pipelines"]["dense"] = {"legs": ["dense"]}
    fruit["routes"]["fruit"] |= {"live": {"rrf60": 0.5, "dense": 0.5}, "shadows": {}}
    proxy = await start(fruit)

    asked = {"query": "apple", "vector": [1, 0, 0.5]}
    counts = [(await proxy.search(**asked, size=0, user=f"u{n}"))["total"] for n in range(20)]
    pages = [(await proxy.search(**asked, size=1, user=f"u{n}"))["total"] for n in range(20)]

    assert 1 == len(set(counts))
    assert {counts[0], None} == set(pages)


async def test_a_search_too_many_is_refused_at_once(start, scripted, eventually):
    """
    503 with the time to come back, in the shape of either API, before anybody is asked; events are
    taken, and the place is free again once the search before is answered.
    """
    config = scripted({"live": 0.4})
    config["server"]["max_in_flight"] = 1
    config["routes"]["fruit"] |= {"index": "fruit", "shadows": {}}
    proxy = await start(config)
    engine = proxy.service.generation.lease.live.backends["main"]

    first = asyncio.create_task(proxy.search())
    await eventually(lambda: engine.asked)
    async with proxy.session.get(proxy.url + "/v1/fruit/search", params={"q": "a"}) as got:
        assert (503, "1") == (got.status, got.headers["retry-after"])
        assert "overloaded" == (await got.json())["error"]["code"]
    asked = {"query": {"match": {"t": "a"}}}
    async with proxy.session.post(proxy.url + "/fruit/_search", json=asked) as got:
        assert (503, "1") == (got.status, got.headers["retry-after"])
        assert "too many searches are in progress" == (await got.json())["error"]["reason"]
    told = {"event_id": "e", "query_id": "forged", "type": "seen"}
    status, _ = await proxy.post("/v1/events", told)

    assert not first.done()
    assert 202 == status
    assert 1 == len(engine.asked)
    refused = {"route": "fruit", "outcome": "overloaded"}
    assert 2 == proxy.count("shadowrank_request_seconds_count", **refused)
    await first
    assert (await proxy.search())["hits"]


async def test_who_sends_slowly_takes_no_ones_place(start, scripted):
    """
    A search counts from when its body is here, not from when it is announced.
    """
    config = scripted()
    config["server"]["max_in_flight"] = 1
    proxy = await start(config)
    reader, writer = await asyncio.open_connection(*proxy.process.public)
    writer.write(b"POST /v1/fruit/search HTTP/1.1\r\nhost: x\r\ncontent-length: 14\r\n\r\n{")
    await writer.drain()
    await asyncio.sleep(0.05)

    assert (await proxy.search())["hits"]

    writer.write(b'"query": "a"}')
    assert b"HTTP/1.1 200 OK\r\n" == await reader.readline()
    writer.close()
