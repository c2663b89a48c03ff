from __future__ import annotations

import asyncio
import json
from collections import Counter

from proxy.events.records import Impression


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
