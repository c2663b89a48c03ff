"""The two backends that are clusters, on real ones: what only an engine can tell us."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import numpy as np
import pytest

from proxy.backends import Question, Wanted
from proxy.backends.cluster.cluster import Cluster
from proxy.backends.cluster.recipe import ClusterRecipe
from proxy.backends.registry import BACKENDS
from proxy.errors import BackendError, BackendRefused
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.legs.template import Template
from proxy.model import Counting, Sources, Terms, TermsFacet
from tests.engines.cluster import Engine, Vector

DOCUMENTS = [
    {"_id": "a", "title": "red foxes run", "kind": "animal", "v": [1.0, 0.0], "id": "a"},
    {"_id": "b", "title": "red apples", "kind": "fruit", "v": [0.0, 1.0], "id": "b"},
    {"_id": "c", "title": "green apples fall", "kind": "fruit", "v": [0.6, 0.8], "id": "c"},
]
WORDS = [{key: of[key] for key in ("_id", "title")} for of in DOCUMENTS]
FIELDS = {"title": "english", "kind": "keyword", "id": "keyword"}


COLD = 20_000
"""An engine that has just been started takes its time over its first searches."""


def words_of(index: str) -> Lexical:
    """The leg that finds titles."""
    return Lexical("main", index, ("title",), timeout_ms=COLD)


def recipe(engine: Engine, **options: object) -> ClusterRecipe:
    """The backend of this engine."""
    options = {"fetch_timeout_ms": COLD, **options}
    made = BACKENDS[engine.kind](hosts=(engine.url,), **options)  # type: ignore[arg-type]
    assert isinstance(made, ClusterRecipe)
    return made


@pytest.fixture
def index(new_index: Callable[..., str]) -> str:
    """Three documents with vectors."""
    return new_index("fruit", FIELDS, {"v": Vector(2)}, DOCUMENTS)


async def found(backend: Cluster, leg: Lexical | Knn | Template, question: Question) -> str:
    """The ids, best first, as one text."""
    return " ".join((await backend.search(leg, question)).ranked.ids)


@pytest.mark.parametrize("id_field", [None, "id"])
async def test_words_and_vectors_find_documents(
    engine: Engine, index: str, id_field: str | None
) -> None:
    """
    Both legs, a filter in each, and what was counted beside.
    """
    words, near = words_of(index), Knn("main", index, "v", window=2, timeout_ms=COLD)
    fruit = (Terms("kind", ("fruit",)),)
    vector = np.array([0.9, 0.1], np.float32)

    async with recipe(engine, id_field=id_field).open("main", "live") as backend:
        ranked = await backend.search(
            words, Question("red apple", counting=Counting(facets=(TermsFacet("k", "kind"),)))
        )
        filtered = await found(backend, words, Question("red", fruit))
        nearest = await found(backend, near, Question("", vector=vector))
        among = await found(backend, near, Question("", fruit, vector))

    assert ("b", 3) == (ranked.ranked.ids[0], ranked.total)
    assert {"fruit": 2, "animal": 1} == {
        bucket["key"]: bucket["doc_count"]
        for bucket in json.loads(ranked.facets or b"")["k"]["buckets"]
    }
    assert ("b", "a c", "c b") == (filtered, nearest, among)


@pytest.mark.engines("opensearch")
async def test_opensearch_reads_its_own_ids_as_doc_values(engine: Engine, index: str) -> None:
    """
    Without a copy of them, at the price of heap.
    """
    async with recipe(engine, id_field="_id").open("main", "live") as backend:
        assert "b a c" == await found(backend, words_of(index), Question("red apples"))


async def test_documents_and_vectors_come_by_id(engine: Engine, index: str) -> None:
    """
    What is gone is left out.
    """
    async with recipe(engine).open("main", "live") as backend:
        held = await backend.fetch(index, ["c", "zz", "a"], Wanted(Sources(("title",))))
        vectors = await backend.vectors(index, "v", ["a", "zz"])

    assert {"a": "red foxes run", "c": "green apples fall"} == {
        name: json.loads(document.source or b"")["title"] for name, document in held.items()
    }
    assert [1.0, 0.0] == vectors["a"].tolist()
    assert {"a"} == set(vectors)


async def test_an_alias_that_moves_is_a_new_index(
    engine: Engine, index: str, new_index: Callable[..., str]
) -> None:
    """
    The version is of the indices behind a name; over several, documents are named by index.
    """
    other = new_index("more", FIELDS, {"v": Vector(2)}, DOCUMENTS[:1])
    alias = f"{engine.prefix}alias"
    engine.done("POST", "/_aliases", {"actions": [{"add": {"index": index, "alias": alias}}]})
    leg = words_of(alias)

    async with recipe(engine, refresh=1.0).open("main", "live") as backend:
        alone = await found(backend, leg, Question("foxes"))
        first = backend.index_version(alias)
        engine.done("POST", "/_aliases", {"actions": [{"add": {"index": other, "alias": alias}}]})
        for _ in range(50):
            await asyncio.sleep(0.1)
            if backend.index_version(alias) != first:
                break
        both = await found(backend, leg, Question("foxes"))
        held = await backend.fetch(alias, both.split(), Wanted())

    assert "a" == alone
    assert {f"{index}/a", f"{other}/a"} == set(both.split()) == set(held)
    assert first != backend.index_version(alias)


async def test_a_pattern_names_documents_by_their_index(
    engine: Engine, new_index: Callable[..., str]
) -> None:
    """
    Even while it is one index: tomorrow there may be two, and the document keeps its name.
    """
    first = new_index("logs-1", FIELDS, documents=WORDS[:1])
    pattern = f"{engine.prefix}logs-*"
    leg = words_of(pattern)

    async with recipe(engine, refresh=1.0).open("main", "live") as backend:
        alone = await found(backend, leg, Question("red"))
        version = backend.index_version(pattern)
        second = new_index("logs-2", FIELDS, documents=WORDS[1:2])
        async with asyncio.timeout(10):
            while backend.index_version(pattern) == version:
                await asyncio.sleep(0.1)
        both = await found(backend, leg, Question("red"))
        held = await backend.fetch(pattern, both.split(), Wanted())

    assert f"{first}/a" == alone
    assert {f"{first}/a", f"{second}/b"} == set(both.split()) == set(held)


@pytest.mark.engines("opensearch")
async def test_a_data_stream_that_rolls_over_is_a_new_version(engine: Engine) -> None:
    """
    Its documents are named by the indices behind it. (The server core that Elastic publishes has no
    data streams.)
    """
    stream = f"{engine.prefix}stream"
    template = {
        "index_patterns": [stream],
        "data_stream": {},
        "template": {
            "settings": {"number_of_replicas": 0},
            "mappings": {"properties": {"title": {"type": "text"}}},
        },
    }
    document = {"@timestamp": "2026-01-01T00:00:00Z", "title": "red foxes"}
    engine.done("PUT", f"/_index_template/{stream}", template)
    try:
        engine.done("POST", f"/{stream}/_doc?refresh=true", document)
        async with recipe(engine, refresh=1.0).open("main", "live") as backend:
            (name,) = (await found(backend, words_of(stream), Question("foxes"))).split()
            version = backend.index_version(stream)
            held = await backend.fetch(stream, [name], Wanted())
            engine.done("POST", f"/{stream}/_rollover")
            async with asyncio.timeout(10):
                while backend.index_version(stream) == version:
                    await asyncio.sleep(0.1)
            again = await found(backend, words_of(stream), Question("foxes"))
    finally:
        engine.ask("DELETE", f"/_data_stream/{stream}")
        engine.ask("DELETE", f"/_index_template/{stream}")

    assert name.startswith(f".ds-{stream}-")
    assert "/" in name
    assert {name} == set(held)
    assert name == again


async def test_what_is_not_there_is_refused(engine: Engine, index: str) -> None:
    """
    The engine's type of error is told, its reason isn't: that may repeat the query.
    """
    async with recipe(engine).open("main", "live") as backend:
        with pytest.raises(BackendRefused, match="404 index_not_found_exception"):
            await backend.search(words_of("nowhere"), Question("red"))
        with pytest.raises(BackendRefused, match=r"400 [a-z_]+$"):
            await backend.search(
                Template(
                    "main",
                    index,
                    '{"match": {"title": {"query": "{{query}}", "x": 1}}}',
                    timeout_ms=COLD,
                ),
                Question("secret"),
            )


async def test_nobody_there_is_an_error_and_not_at_open(engine: Engine) -> None:
    """
    A cluster that is down when the proxy starts may be up when it is asked.
    """
    made = BACKENDS[engine.kind](hosts=("http://127.0.0.1:9",))

    async with made.open("main", "live") as backend:
        with pytest.raises(BackendError):
            await backend.search(words_of("fruit"), Question("red"))


SLOW = "double s = 0; for (int i = 0; i < 30000; i++) { s += Math.sin(i) } return Math.abs(s) + 1;"
"""Tens of milliseconds a document, so that a search of many takes minutes."""


@pytest.mark.engines("opensearch")
async def test_who_leaves_ends_the_search_in_the_engine(
    engine: Engine, new_index: Callable[..., str]
) -> None:
    """
    The connection closes, and the engine cancels what nobody waits for. (The server core that
    Elastic publishes has no scripts to be slow with.)
    """
    many = [{"_id": str(at), "title": "red"} for at in range(20_000)]
    index = new_index("many", FIELDS, documents=many)
    clause = {
        "script_score": {
            "query": {"match": {"title": "{{query}}"}},
            "script": {"source": SLOW},
        }
    }
    leg = Template("main", index, json.dumps(clause), timeout_ms=600_000)

    def running() -> int:
        nodes = engine.done("GET", "/_tasks?actions=indices:data/read/search*")["nodes"]
        return sum(
            not task.get("cancelled", False)
            for node in nodes.values()
            for task in node["tasks"].values()
            if "shadowrank-live" in task.get("headers", {}).get("X-Opaque-Id", "")
        )

    async with recipe(engine).open("main", "live") as backend:
        searching = asyncio.create_task(backend.search(leg, Question("red")))
        async with asyncio.timeout(30):
            while not await asyncio.to_thread(running):
                await asyncio.sleep(0.05)
        await asyncio.sleep(0.5)
        still = await asyncio.to_thread(running)
        searching.cancel()
        await asyncio.gather(searching, return_exceptions=True)
        async with asyncio.timeout(5):
            while await asyncio.to_thread(running):
                await asyncio.sleep(0.05)

    assert still > 0
