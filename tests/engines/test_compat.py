"""The compatible API against the API itself: one body, to a real engine and through a proxy."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from config.loader import load
from config.secrets import Secrets
from proxy.build import build
from proxy.serving import Grace, running
from tests.engines.cluster import Engine

SECRETS = Secrets((b"a key of query ids, long enough",), b"a key of hashes, long enough")
FIELDS = {
    "title": "english", "kind": "keyword", "year": {"type": "integer"},
    "price": {"type": "double"}, "fresh": {"type": "boolean"}, "day": {"type": "date"},
    "published": {"type": "boolean"},
}  # fmt: skip
WORDS = ("fox", "apple", "pear apple", "green apple tree", "old apple of a tree", "tree")
DOCUMENTS = [
    {
        "_id": f"{word}/{n}", "title": word, "kind": "animal" if "fox" in word else "fruit",
        "year": 2000 + n, "price": n / 2, "fresh": n % 2 == 0, "day": f"2024-0{n + 1}-15",
        "published": n != 1,
    }
    for n, word in enumerate(WORDS)
]  # fmt: skip
TEXT = {"match": {"title": "apple tree"}}
PUBLISHED = {"term": {"published": True}}
Ask = Callable[..., Any]


@pytest.fixture
def index(new_index: Callable[..., str]) -> str:
    """Six documents, one of them unpublished."""
    return new_index("fruit", FIELDS, None, DOCUMENTS)


@pytest.fixture
async def ask(
    engine: Engine, index: str, redis_url: str, tmp_path: Path
) -> AsyncIterator[Callable[..., Any]]:
    """`await ask(method, path, body)`: status and JSON of a proxy whose one leg finds titles."""
    leg = {"backend": "main", "fields": ["title"], "timeout_ms": 20_000, "kind": "lexical"}
    config = {
        "state_dir": str(tmp_path / "state"),
        "server": {"host": "127.0.0.1", "port": 0, "admin": {"host": "127.0.0.1", "port": 0}},
        "secrets": {"ids_env": ["IDS"], "keys_env": "KEYS"},
        "events": {"redis": redis_url},
        "backends": {
            "main": {"kind": engine.kind, "hosts": [engine.url], "fetch_timeout_ms": 20_000}
        },
        "legs": {"one": {**leg, "index": index}, "all": {**leg, "index": f"{index}*"}},
        "pipelines": {"one": {"legs": ["one"]}, "all": {"legs": ["all"]}},
        "routes": {
            name: {
                "live": {name: 1.0}, "deadline_ms": 20_000, "index": f"my-{name}",
                "filter": [PUBLISHED],
                "filterable": ["kind", "year", "price", "fresh", "day"],
            }
            for name in ("one", "all")
        },
    }  # fmt: skip
    path = tmp_path / "c.yaml"
    path.write_text(json.dumps(config))
    plan = build(load(path, {"IDS": "a" * 32, "KEYS": "b" * 32}))
    async with (
        running(plan, lambda: plan, SECRETS, Grace()) as process,
        aiohttp.ClientSession("http://{}:{}".format(*process.public)) as session,
    ):

        async def asked(method: str, path: str, body: object = None) -> tuple[int, Any]:
            async with session.request(method, path, json=body) as got:
                return got.status, await got.json(content_type=None)

        yield asked


FILTERS = [
    {"term": {"kind": "fruit"}},
    {"term": {"fresh": True}},
    {"terms": {"year": [2003, 2005]}},
    {"range": {"year": {"gt": 2002, "lte": 2005}}},
    {"range": {"day": {"gte": "2024-03-01", "lt": "2024-05-01"}}},
    {"exists": {"field": "price"}},
    {"bool": {"should": [{"term": {"year": 2003}}, {"term": {"fresh": True}}]}},
    {"bool": {"must_not": [{"term": {"year": 2003}}], "filter": {"term": {"kind": "fruit"}}}},
    {"match_all": {}},
]
AGGS = {
    "kinds": {"terms": {"field": "kind"}},
    "years": {"terms": {"field": "year", "size": 2}},
    "prices": {"terms": {"field": "price"}},
    "fresh": {"terms": {"field": "fresh"}},
    "ranges": {"range": {"field": "price", "ranges": [{"to": 1.5}, {"from": 1.5, "key": "dear"}]}},
    "steps": {"histogram": {"field": "year", "interval": 2}},
    "months": {"date_histogram": {"field": "day", "calendar_interval": "month"}},
    "quarters": {"date_histogram": {"field": "day", "calendar_interval": "1q"}},
    "least": {"min": {"field": "price"}},
    "most": {"max": {"field": "day"}},
    "mean": {"avg": {"field": "price"}},
    "sum": {"sum": {"field": "price"}},
    "values": {"value_count": {"field": "kind"}},
    "distinct": {"cardinality": {"field": "kind"}},
    "stats": {"stats": {"field": "year"}},
}


def body_of(filters: list[Any], **more: Any) -> dict[str, Any]:
    """The search of all these tests."""
    return {"query": {"bool": {"must": TEXT, "filter": filters}}, **more}


def hits_of(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """Hits as they are compared: in the engine's order and ours, scores as they are."""
    return [
        {**hit, "_score": pytest.approx(hit["_score"], rel=1e-6)} for hit in answer["hits"]["hits"]
    ]


@pytest.mark.parametrize("given", FILTERS, ids=json.dumps)
async def test_a_filter_means_what_it_means_to_the_engine(
    engine: Engine, index: str, ask: Ask, given: dict[str, Any]
) -> None:
    """
    The same documents, in the same order, with the same scores and sources.
    """
    direct = engine.search(index, body_of([given, PUBLISHED]))

    status, ours = await ask("POST", "/my-one/_search", body_of([given]))

    assert 200 == status, ours
    assert hits_of(direct) == ours["hits"]["hits"]
    assert direct["hits"]["total"] == ours["hits"]["total"]


@pytest.mark.parametrize("typed", ["", "?typed_keys=true"])
async def test_aggregations_are_the_engine_s_own(
    engine: Engine, index: str, ask: Ask, typed: str
) -> None:
    """
    With their types, too, for clients that want them.
    """
    direct = engine.search(index, body_of([PUBLISHED], size=0, aggs=AGGS), typed)

    _, counted = await ask("POST", f"/my-one/_search{typed}", body_of([], size=0, aggs=AGGS))
    _, paged = await ask("POST", f"/my-one/_search{typed}", body_of([], aggs=AGGS))

    assert direct["aggregations"] == counted["aggregations"]
    assert direct["aggregations"] == paged["aggregations"]


async def test_what_is_shown_is_what_the_engine_shows(engine: Engine, index: str, ask: Ask) -> None:
    """
    Fields, highlights, pages, and how far was counted.
    """
    asked = {
        "from": 1, "size": 2, "_source": {"includes": ["t*", "year"], "excludes": ["year"]},
        "highlight": {"fields": {"title": {"number_of_fragments": 0}}, "pre_tags": ["["],
                      "post_tags": ["]"]},
        "track_total_hits": 2,
    }  # fmt: skip
    direct = engine.search(index, body_of([PUBLISHED], **asked))

    _, ours = await ask("POST", "/my-one/_search", body_of([], **asked))

    assert hits_of(direct) == ours["hits"]["hits"]
    assert direct["hits"]["total"] == ours["hits"]["total"] == {"value": 2, "relation": "gte"}


async def test_counts_and_documents_keep_to_the_route_s_filter(
    engine: Engine, index: str, ask: Ask
) -> None:
    """
    What isn't published is neither counted nor found.
    """
    count = engine.done("POST", f"/{index}/_count", {"query": body_of([PUBLISHED])["query"]})

    _, counted = await ask("POST", "/my-one/_count", {"query": TEXT})
    found, one = await ask("GET", "/my-one/_doc/tree%2F5")
    hidden, other = await ask("GET", "/my-one/_doc/apple%2F1")
    _, several = await ask("POST", "/my-one/_mget", {"ids": ["apple/1", "fox/0", "none"]})

    assert count["count"] == counted["count"]
    assert (200, index, "tree") == (found, one["_index"], one["_source"]["title"])
    assert (404, False) == (hidden, other["found"])
    assert [False, True, False] == [doc["found"] for doc in several["docs"]]


async def test_several_indices_are_told_apart(
    engine: Engine, index: str, new_index: Callable[..., str], ask: Ask
) -> None:
    """
    A hit has the id of the engine and the index that holds it.
    """
    other = new_index("fruit-2", FIELDS, None, DOCUMENTS)
    direct = engine.search(f"{index},{other}", body_of([PUBLISHED], size=20))

    status, ours = await ask("POST", "/my-all/_search", body_of([], size=20))

    def pairs(answer: dict[str, Any]) -> set[tuple[str, str]]:
        return {(hit["_index"], hit["_id"]) for hit in answer["hits"]["hits"]}

    assert 200 == status, ours
    assert pairs(direct) == pairs(ours)
    assert direct["hits"]["total"] == ours["hits"]["total"]
    found, one = await ask("GET", f"/my-all/_doc/{other}%2Ftree%2F5")
    assert (200, other) == (found, one["_index"])
