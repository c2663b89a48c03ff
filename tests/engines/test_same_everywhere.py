"""One corpus in the embedded engine and in a cluster: whoever asks the proxy can't tell which."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiohttp
import numpy as np
import pytest
from redis.asyncio import Redis

from config.loader import load
from config.secrets import Secrets
from proxy.build import build
from proxy.events.keys import FIELD
from proxy.events.records import Event, Impression, Record, Shadows, decode
from proxy.serving import Grace, Running, running
from tests.engines.cluster import Engine, Vector

SECRETS = Secrets((b"a key of query ids, long enough",), b"a key of hashes, long enough", "letmein")
ENVIRON = {"IDS": "a" * 32, "KEYS": "b" * 32}
BUDGET_MS = 20_000
"""An engine that has just been started takes its time over its first searches."""
FIELDS = {
    "title": "english", "kind": "keyword", "tags": "keyword", "size": "double", "on": "boolean",
    "note": "keyword",
}  # fmt: skip
EMBEDDED = {
    "title": {"type": "text", "analyzer": "english"},
    "kind": {"type": "keyword"},
    "tags": {"type": "keyword", "optional": True},
    "size": {"type": "number"},
    "on": {"type": "boolean"},
    "note": {"type": "keyword", "optional": True},
}
ROWS: list[dict[str, Any]] = [
    {"_id": "a", "title": "Red foxes run far", "kind": "animal", "tags": ["wild", "red"],
     "size": 3, "on": True, "note": "seen"},
    {"_id": "b", "title": "Red apples", "kind": "fruit", "tags": ["red"], "size": 1.5, "on": True},
    {"_id": "c", "title": "Green apples fall from a tree", "kind": "fruit", "tags": ["green"],
     "size": 1, "on": True, "note": "ripe"},
    {"_id": "d", "title": "The apple of the eye is red, red, red", "kind": "saying", "tags": [],
     "size": 8, "on": True},
    {"_id": "e", "title": "A dog runs after a red fox", "kind": "animal", "tags": ["tame", "red"],
     "size": 12, "on": True, "note": "seen"},
    {"_id": "f", "title": "Hidden red apples and foxes", "kind": "fruit", "tags": ["red"],
     "size": 4, "on": False, "note": "ripe"},
    {"_id": "g", "title": "Old trees", "kind": "plant", "size": 100, "on": True},
]  # fmt: skip
TURNS = np.linspace(0.0, 1.5, len(ROWS))
VECTORS = np.stack([np.cos(TURNS), np.sin(TURNS), np.full(len(ROWS), 0.2)], axis=1)
NEAR = [1.0, 0.0, 0.2]
TEXT = "red apple fox"
DOCUMENTS = [
    {**row, "embedding": vector.tolist()} for row, vector in zip(ROWS, VECTORS, strict=True)
]
LOCAL, THERE = "local", "there"
Config = dict[str, Any]


def leg(backend: str, index: str, **options: object) -> Config:
    """A leg that may take its time."""
    return {"backend": backend, "index": index, "window": 50, "timeout_ms": BUDGET_MS, **options}


def sections(name: str, backend: str, index: str) -> Config:
    """Three pipelines over one index; a route of that name with both legs, and one of words for
    clients of Elasticsearch, who bring no vector. Both serve what is `on`.
    """
    near = {"kind": "knn", "field": "embedding", "num_candidates": 100}
    fused = {"legs": [f"{name}-bm25", f"{name}-dense"], "fusion": {"kind": "rrf"}}
    return {
        "legs": {
            f"{name}-bm25": leg(backend, index, kind="lexical", fields=["title"]),
            f"{name}-dense": leg(backend, index, **near),
        },
        "pipelines": {
            f"{name}-rrf": fused,
            f"{name}-words": {"legs": [f"{name}-bm25"]},
            f"{name}-near": {"legs": [f"{name}-dense"]},
        },
        "routes": {
            name: {
                "live": {f"{name}-rrf": 1.0},
                "shadows": {f"{name}-words": 1.0, f"{name}-near": 1.0},
                "deadline_ms": 2 * BUDGET_MS,
                "filter": [{"term": {"on": True}}],
                "filterable": ["kind", "tags", "size", "note"],
            },
            f"{name}-words": {
                "live": {f"{name}-words": 1.0},
                "deadline_ms": 2 * BUDGET_MS,
                "filter": [{"term": {"on": True}}],
                "filterable": ["kind", "tags", "size", "note"],
                "index": name,
            },
        },
    }


def merged(*several: Config) -> Config:
    """Configurations as one."""
    whole: Config = {}
    for each in several:
        for key, value in each.items():
            whole[key] = {**whole.get(key, {}), **value} if isinstance(value, dict) else value
    return whole


def cluster(engine: Engine, name: str = "cluster", **options: object) -> Config:
    """The engine as a backend."""
    told = {"kind": engine.kind, "hosts": [engine.url], "fetch_timeout_ms": BUDGET_MS, **options}
    return {"backends": {name: told}}


@pytest.fixture(scope="module")
def held(engine: Engine) -> Iterator[str]:
    """The corpus in the engine."""
    index = engine.create("same", FIELDS, {"embedding": Vector(3, whole=True)})
    engine.load(index, DOCUMENTS)
    yield index
    engine.drop(index)


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Config:
    """The corpus in the embedded engine, under the name of a backend."""
    folder = tmp_path_factory.mktemp("same")
    (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    np.save(folder / "rows.npy", VECTORS.astype(np.float32))
    index = {
        "corpus": str(folder / "rows.jsonl"),
        "vectors": str(folder / "rows.npy"),
        "fields": EMBEDDED,
    }
    backend = {"kind": "embedded", "cache": str(folder / "cache"), "indices": {"same": index}}
    return {"backends": {"files": backend}}


@dataclass(frozen=True, slots=True)
class Proxy:
    """A running proxy and whoever asks it."""

    process: Running
    session: aiohttp.ClientSession

    async def ask(self, path: str, body: object = None) -> tuple[int, Any]:
        """Status and JSON of the public port."""
        url = "http://{}:{}{}".format(*self.process.public, path)
        sending = self.session.request("GET" if body is None else "POST", url, json=body)
        async with sending as got:
            return got.status, await got.json()

    async def done(self, path: str, body: object = None) -> Any:
        """The JSON of a good answer without a degraded stage."""
        status, said = await self.ask(path, body)
        assert 200 == status, (path, body, said)
        assert [] == said.get("degraded", []), said
        assert "shadowrank" not in said.get("ext", {}), said
        return said

    async def search(self, route: str, **asked: object) -> Any:
        """The answer to a search of /v1, by words and vector unless said otherwise."""
        return await self.done(f"/v1/{route}/search", {"query": TEXT, "vector": NEAR, **asked})

    async def elastic(self, route: str, asked: object, what: str = "_search") -> Any:
        """The answer to a search in Elasticsearch's language."""
        return await self.done(f"/{route}/{what}", asked)


@pytest.fixture
def serve(tmp_path: Path, redis_url: str) -> Callable[..., Any]:
    """`async with serve(config, ...) as proxy`: a proxy over those sections."""

    @asynccontextmanager
    async def begin(*several: Config) -> AsyncIterator[Proxy]:
        anywhere = {"host": "127.0.0.1", "port": 0}
        path = tmp_path / "shadowrank.yaml"
        usual = {
            "state_dir": str(tmp_path / "state"),
            "server": {**anywhere, "admin": anywhere},
            "events": {"redis": redis_url, "shards": 1},
            "secrets": {"ids_env": ["IDS"], "keys_env": "KEYS"},
        }
        path.write_text(json.dumps(merged(usual, *several)))
        plan = build(load(path, ENVIRON))
        async with (
            running(plan, lambda: plan, SECRETS, Grace()) as process,
            aiohttp.ClientSession() as session,
        ):
            yield Proxy(process, session)

    return begin


@pytest.fixture
def records(redis_url: str) -> Callable[..., Any]:
    """`await records(n)`: what the log holds once it holds `n` records."""

    async def read(at_least: int) -> list[Record]:
        async with Redis.from_url(redis_url) as redis, asyncio.timeout(30):
            while True:
                keys = sorted([key async for key in redis.scan_iter("shadowrank:*:log")])
                found = [decode(r[FIELD]) for key in keys for _, r in await redis.xrange(key)]
                if len(found) >= at_least:
                    return found
                await asyncio.sleep(0.05)

    return read


@pytest.fixture
async def both(
    serve: Callable[..., Any], engine: Engine, held: str, files: Config
) -> AsyncIterator[Proxy]:
    """A proxy with a route over each: `local` is embedded, `there` is the engine."""
    routes = sections(LOCAL, "files", "same"), sections(THERE, "cluster", held)
    async with serve(files, cluster(engine), *routes) as proxy:
        yield proxy


def ids(said: Mapping[str, Any]) -> list[str]:
    """The documents of an answer of either API, best first."""
    if "query_id" in said:
        return [hit["id"] for hit in said["hits"]]
    return [hit["_id"] for hit in said["hits"]["hits"]]


FILTERS: list[tuple[list[Config], str]] = [
    ([], "abcdeg"),
    ([{"term": {"kind": "fruit"}}], "bc"),
    ([{"term": {"tags": "red"}}], "abe"),
    ([{"term": {"size": 3}}], "a"),
    ([{"terms": {"kind": ["fruit", "saying"]}}], "bcd"),
    ([{"terms": {"size": [1, 12]}}], "ce"),
    ([{"range": {"size": {"gte": 1.5, "lt": 8}}}], "ab"),
    ([{"range": {"size": {"gt": 1.5, "lte": 8}}}], "ad"),
    ([{"range": {"kind": {"gte": "f", "lt": "q"}}}], "bcg"),
    ([{"exists": {"field": "note"}}], "ace"),
    ([{"exists": {"field": "tags"}}], "abce"),
    ([{"exists": {"field": "note"}}, {"term": {"kind": "animal"}}], "ae"),
    ([{"term": {"kind": "nothing"}}], ""),
]


async def test_filters_of_a_search_pass_the_same(both: Proxy) -> None:
    """
    In every leg, and in what is counted; what isn't `on` passes none.
    """
    for filters, expected in FILTERS:
        local, there = [
            await both.search(name, filters=filters, size=20) for name in (LOCAL, THERE)
        ]

        assert expected == "".join(sorted(ids(local))), filters
        assert ids(local) == ids(there), filters
        assert (local["total"], local["total_relation"]) == (
            there["total"],
            there["total_relation"],
        ), filters


def around(**given: object) -> Config:
    """A query of words within a bool."""
    return {"bool": {"must": {"match": {"title": TEXT}}, **given}}


FRUIT, RED = {"term": {"kind": "fruit"}}, {"term": {"tags": "red"}}
RIPE = {"term": {"note": "ripe"}}
LANGUAGE: list[tuple[Config, str]] = [
    ({"match": {"title": TEXT}}, "abcde"),
    ({"multi_match": {"query": "apples", "fields": ["title"]}}, "bcd"),
    (around(must_not=FRUIT), "ade"),
    (around(must_not=[FRUIT, {"range": {"size": {"gt": 10}}}]), "ad"),
    (around(filter={"bool": {"should": [FRUIT, RED]}}), "abce"),
    (around(filter={"bool": {"must_not": {"exists": {"field": "note"}}}}), "bd"),
    (around(filter={"bool": {"must_not": {"bool": {"filter": [FRUIT, RED]}}}}), "acde"),
    (around(filter={"bool": {"should": [{"bool": {"filter": [FRUIT, RIPE]}}, RED]}}), "abce"),
    (around(should=[FRUIT, RIPE], minimum_should_match=1), "bc"),
]


async def test_the_language_of_the_engines_finds_the_same(both: Proxy) -> None:
    """
    Any, all and not of filters around a query.
    """
    for query, expected in LANGUAGE:
        local, there = [
            await both.elastic(name, {"query": query, "size": 20}) for name in (LOCAL, THERE)
        ]
        counts = [
            (await both.elastic(name, {"query": query}, "_count"))["count"]
            for name in (LOCAL, THERE)
        ]

        assert [len(expected)] * 2 == counts, query
        assert local["hits"]["total"] == there["hits"]["total"], query
        assert expected == "".join(sorted(ids(local))), query
        assert ids(local) == ids(there), query


AGGREGATIONS: Config = {
    "kinds": {"terms": {"field": "kind"}},
    "tags": {"terms": {"field": "tags", "size": 2}},
    "sizes": {"terms": {"field": "size"}},
    "bands": {"range": {"field": "size", "ranges": [{"to": 2}, {"from": 2, "to": 9, "key": "m"}]}},
    "steps": {"histogram": {"field": "size", "interval": 5}},
    "spread": {"stats": {"field": "size"}},
    "mean": {"avg": {"field": "size"}},
    "notes": {"value_count": {"field": "note"}},
    "different": {"cardinality": {"field": "tags"}},
}


async def test_facets_count_the_same(both: Proxy) -> None:
    """
    With hits and without, in both APIs; what isn't `on` is in none of them.
    """
    asked = {"query": {"match": {"title": TEXT}}, "aggs": AGGREGATIONS}
    for size in (0, 3):
        local, there = [
            await both.elastic(name, {**asked, "size": size}) for name in (LOCAL, THERE)
        ]
        assert known(local["aggregations"]) == known(there["aggregations"])
    for size in (0, 3):
        local, there = [
            await both.search(name, facets=["kind", "tags", "note"], size=size)
            for name in (LOCAL, THERE)
        ]
        assert local["facets"] == there["facets"]
        assert {"value": "ripe", "count": 1} in there["facets"]["note"]


def known(aggregations: Any) -> Any:
    """Without how numbers are written out, and what was approximated on the way."""
    left_out = ("key_as_string", "doc_count_error_upper_bound", "sum_other_doc_count")
    match aggregations:
        case dict():
            return {
                name: known(value) for name, value in aggregations.items() if name not in left_out
            }
        case list():
            return [known(value) for value in aggregations]
        case float():
            return pytest.approx(aggregations)
    return aggregations


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (None, {"title", "kind", "tags", "size", "on", "note"}),
        (["title"], {"title"}),
        (["k*", "note"], {"kind", "note"}),
        ([], None),
    ],
)
async def test_sources_show_the_same(
    both: Proxy, fields: list[str] | None, expected: set[str] | None
) -> None:
    """
    All of a document, some fields, patterns, nothing.
    """
    shown = {} if fields is None else {"fields": fields}
    local, there = [await both.search(name, size=20, **shown) for name in (LOCAL, THERE)]

    for one, other in zip(local["hits"], there["hits"], strict=True):
        assert plain(one["source"]) == plain(other["source"])
    of_a = next(plain(hit["source"]) for hit in there["hits"] if hit["id"] == "a")
    assert expected == (None if of_a is None else set(of_a))


def plain(source: Config | None) -> Config | None:
    """A source without its id and vector, which the embedded engine keeps elsewhere."""
    if source is None:
        return None
    return {name: value for name, value in source.items() if name not in ("_id", "embedding")}


async def test_highlights_mark_the_same_words(both: Proxy) -> None:
    """
    As they were stemmed; where nothing matches there is none.
    """
    for highlight in (True, ["title"], {"fields": ["title"], "pre_tag": "[", "post_tag": "]"}):
        local, there = [
            await both.search(name, query="apple running", highlight=highlight, size=20)
            for name in (LOCAL, THERE)
        ]

        marked, theirs = [
            {hit["id"]: hit["highlight"] for hit in said["hits"]} for said in (local, there)
        ]
        assert marked == theirs
        assert 5 == sum(found is not None for found in theirs.values())


async def test_totals_are_counted_as_far_as_asked(both: Proxy) -> None:
    """
    Exactly, up to a bound, or not at all; `from` beyond the hits is an empty page.
    """
    asked = {"query": {"match": {"title": TEXT}}, "size": 2}
    for tracked in (True, 3, False):
        local, there = [
            await both.elastic(name, {**asked, "track_total_hits": tracked})
            for name in (LOCAL, THERE)
        ]
        assert local["hits"].get("total") == there["hits"].get("total")
        assert ids(local) == ids(there)
    assert [[], []] == [ids(await both.search(name, **{"from": 40})) for name in (LOCAL, THERE)]


async def test_pages_follow_each_other(both: Proxy) -> None:
    """
    Three pages of two are a page of six.
    """
    for name in (LOCAL, THERE):
        pages = [await both.search(name, size=2, **{"from": first}) for first in (0, 2, 4)]
        whole = await both.search(name, size=6)

        assert ids(whole) == [each for page in pages for each in ids(page)]
        assert [1, 2, 3, 4, 5, 6] == [hit["rank"] for page in pages for hit in page["hits"]]


async def test_the_mandatory_filter_holds_everywhere(
    both: Proxy, records: Callable[..., Any]
) -> None:
    """
    What isn't `on` is in no list of live and shadows, in no count or facet, and not there by id,
    whatever a caller asks.
    """
    for name in (LOCAL, THERE):
        wide = [{"terms": {"kind": ["fruit", "animal", "saying", "plant"]}}]
        for asked in ({}, {"filters": wide}, {"query": "hidden"}):
            assert "f" not in ids(await both.search(name, size=20, **asked))
        either = around(should=[{"match_all": {}}, FRUIT], minimum_should_match=1)
        counts = [
            (await both.elastic(name, {"query": query}, "_count"))["count"]
            for query in (around(), either, {"match": {"title": "hidden"}})
        ]
        status, _ = await both.ask(f"/{name}/_doc/f")
        several = await both.elastic(name, {"ids": ["a", "f"]}, "_mget")

        assert [5, 5, 0] == counts
        assert 404 == status
        assert [True, False] == [doc["found"] for doc in several["docs"]]
        assert "_source" not in several["docs"][1]

    told = await records(2 * 3 * 2)
    lists = [record.list for record in told if isinstance(record, Impression)]
    seen = [result for record in told if isinstance(record, Shadows) for result in record.results]
    assert 12 == len([result for result in seen if result.status == "ok"])
    assert 6 == len(lists)
    assert all("f" not in each for each in [*lists, *(result.list for result in seen)])


async def test_the_mandatory_filter_holds_in_every_kind_of_leg(
    serve: Callable[..., Any], records: Callable[..., Any], engine: Engine, held: str
) -> None:
    """
    In templates of any query, in vectors, and in what the engine fuses itself.
    """
    routes = sections(THERE, "cluster", held)
    query = '{"match_all": {"_name": {{query}} }}'.replace("{{query}} ", '"{{query}}"')
    routes["legs"]["all"] = leg("cluster", held, kind="template", query=query)
    routes["pipelines"]["all"] = {"legs": ["all"]}
    if engine.name == "opensearch-2":
        legs = [f"{THERE}-bm25", f"{THERE}-dense"]
        fused = {"legs": legs, "fusion": {"kind": "os_rrf"}, "fused_by": "engine"}
        routes["pipelines"]["pushed"] = fused
    shadows = dict.fromkeys(set(routes["pipelines"]) - {f"{THERE}-rrf"}, 1.0)
    routes["routes"][THERE]["shadows"] = shadows

    async with serve(cluster(engine), routes) as proxy:
        await proxy.search(THERE, size=20)
        seen = [record for record in await records(2) if isinstance(record, Shadows)]

    lists = {result.pipeline: "".join(sorted(result.list)) for result in seen[0].results}
    expected = {f"{THERE}-words": "abcde"} | dict.fromkeys(
        set(shadows) - {f"{THERE}-words"}, "abcdeg"
    )
    assert expected == lists


@pytest.fixture
def logs(engine: Engine, new_index: Callable[..., str]) -> tuple[str, str]:
    """Half of the corpus in each of two indices; both have a document `a`."""
    vectors = {"embedding": Vector(3, whole=True)}
    twin = {**DOCUMENTS[1], "_id": "a"}
    first = new_index("logs-1", FIELDS, vectors, DOCUMENTS[:4])
    return first, new_index("logs-2", FIELDS, vectors, [twin, *DOCUMENTS[4:]])


async def followed(
    proxy: Proxy, records: Callable[..., Any], name: str, expected: Sequence[str]
) -> None:
    """A page, its documents, a click on it and its records name the documents alike."""
    page = await proxy.search(name, size=20, highlight=True, fields=["title"])
    first = page["hits"][0]
    click = {"event_id": "1", "query_id": page["query_id"], "type": "click", "doc_id": first["id"]}
    status, said = await proxy.ask("/v1/events", {**click, "position": 1})
    hit = (await proxy.elastic(name, {"query": {"match": {"title": TEXT}}}))["hits"]["hits"][0]
    by_id = await proxy.done(f"/{name}/_doc/{quote(first['id'], safe='')}")

    assert sorted(expected) == sorted(ids(page))
    assert all(hit["source"]["title"] for hit in page["hits"])
    assert (202, {"accepted": 1, "refused": []}) == (status, said)
    assert by_id["found"]
    assert first["source"]["title"] == by_id["_source"]["title"]
    assert f"{hit['_index']}/{hit['_id']}" in expected
    told = await records(4)
    (impression,) = [
        record for record in told if isinstance(record, Impression) and record.route == name
    ]
    event = next(record for record in told if isinstance(record, Event))
    shadow = next(record for record in told if isinstance(record, Shadows))
    assert tuple(ids(page)) == impression.list
    assert impression.list[0] == event.doc_id
    assert all(set(result.list) <= set(expected) for result in shadow.results)


@pytest.mark.parametrize("what", ["pattern", "alias", "list"])
async def test_documents_of_several_indices_are_named_by_theirs(
    serve: Callable[..., Any],
    records: Callable[..., Any],
    engine: Engine,
    logs: tuple[str, str],
    what: str,
) -> None:
    """
    `index/_id`, in answers, fetches, events and records, however the indices are named.
    """
    alias = f"{engine.prefix}logs"
    actions = [{"add": {"index": index, "alias": alias}} for index in logs]
    engine.done("POST", "/_aliases", {"actions": actions})
    read = {"pattern": f"{engine.prefix}logs-*", "alias": alias, "list": ",".join(logs)}[what]
    expected = [
        f"{index}/{own}" for index, several in zip(logs, ("abcd", "aeg"), strict=True)
        for own in several
    ]  # fmt: skip

    async with serve(cluster(engine), sections(THERE, "cluster", read)) as proxy:
        await followed(proxy, records, THERE, expected)


async def test_documents_of_a_data_stream_are_named_by_their_index(
    serve: Callable[..., Any], records: Callable[..., Any], engine: Engine
) -> None:
    """
    Even while there is one index behind it: tomorrow it rolls over.
    """
    name = f"{engine.prefix}stream"
    vectors = {"embedding": Vector(3, whole=True)}
    made = engine.create("template", {**FIELDS, "@timestamp": "date"}, vectors)
    mappings = engine.done("GET", f"/{made}/_mapping")[made]["mappings"]
    engine.drop(made)
    knn = {"knn": True} if engine.kind == "opensearch" else {}
    settings = {"number_of_shards": 1, "number_of_replicas": 0, **knn}
    template = {"settings": settings, "mappings": mappings}
    whole = {"index_patterns": [name], "data_stream": {}, "template": template}
    created = engine.ask("PUT", f"/_index_template/{name}", whole)
    if created.status >= 300:
        pytest.skip(f"{engine.name} has no data streams here: {created.body.decode()[:200]}")
    lines = []
    for document in DOCUMENTS:
        own = {key: value for key, value in document.items() if key != "_id"}
        lines += [{"create": {"_id": document["_id"]}}, {**own, "@timestamp": "2026-01-01"}]
    body = "".join(json.dumps(line) + "\n" for line in lines).encode()
    try:
        said = engine.done("POST", f"/{name}/_bulk?refresh=true", body)
        assert not said["errors"], said
        behind = said["items"][0]["create"]["_index"]

        async with serve(cluster(engine), sections(THERE, "cluster", name)) as proxy:
            await followed(proxy, records, THERE, [f"{behind}/{own}" for own in "abcdeg"])
    finally:
        engine.ask("DELETE", f"/_data_stream/{name}")
        engine.ask("DELETE", f"/_index_template/{name}")


async def test_an_alias_that_moves_shows_in_the_records(
    serve: Callable[..., Any],
    records: Callable[..., Any],
    engine: Engine,
    held: str,
    new_index: Callable[..., str],
) -> None:
    """
    A reindex behind an alias: another index version, the same names of documents, and no pause.
    """
    other = new_index("again", FIELDS, {"embedding": Vector(3, whole=True)}, DOCUMENTS)
    alias = f"{engine.prefix}current"
    engine.done("POST", "/_aliases", {"actions": [{"add": {"index": held, "alias": alias}}]})
    swap = [
        {"remove": {"index": held, "alias": alias}}, {"add": {"index": other, "alias": alias}},
    ]  # fmt: skip

    async with serve(cluster(engine, refresh=1.0), sections(THERE, "cluster", alias)) as proxy:
        before = await proxy.search(THERE, size=20)
        backend = proxy.process.service.generation.lease.live.backends["cluster"]
        seen = backend.index_version(alias)
        engine.done("POST", "/_aliases", {"actions": swap})
        async with asyncio.timeout(30):
            while backend.index_version(alias) == seen:
                await asyncio.sleep(0.1)
        after = await proxy.search(THERE, size=20)
        told = [record for record in await records(4) if isinstance(record, Impression)]

    assert ids(before) == ids(after)
    assert seen == told[0].index_version
    assert 2 == len({record.index_version for record in told})
    assert told[0].version == told[1].version
