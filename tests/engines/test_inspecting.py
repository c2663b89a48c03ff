"""What `check --backends` tells of real clusters, before traffic is taken."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from proxy.backends import Read
from proxy.backends.registry import BACKENDS
from proxy.fusion.es_rrf import ElasticsearchRRF
from proxy.fusion.os_norm import OpenSearchNormalization
from proxy.fusion.os_rrf import OpenSearchRRF
from proxy.legs import Leg
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.legs.pushdown import Pushdown
from proxy.legs.sparse import Sparse
from proxy.legs.template import Template
from proxy.model import AnyOf, Exists, Filter, Range, Terms
from tests.engines.cluster import Engine, Vector

DOCUMENTS = [
    {"_id": "a", "title": "red foxes", "kind": "animal", "v": [1.0, 0.0], "id": "a", "no": "x"},
    {"_id": "b", "title": "red apples", "kind": "fruit", "v": [0.0, 1.0], "id": "b", "no": "b"},
]
FIELDS = {
    "title": {"type": "text", "fields": {"raw": {"type": "keyword"}}},
    "kind": "keyword",
    "id": "keyword",
    "no": "keyword",
    "size": "integer",
    "on": "boolean",
    "bare": {"type": "keyword", "doc_values": False},
}


@pytest.fixture
def index(new_index: Callable[..., str]) -> str:
    """Two documents with vectors."""
    return new_index("checked", FIELDS, {"v": Vector(2)}, DOCUMENTS)


async def inspected(
    engine: Engine,
    leg: Leg,
    *filters: Filter,
    dimension: int | None = None,
    **options: object,
) -> str:
    """The one thing that is wrong, or nothing."""
    recipe = BACKENDS[engine.kind](hosts=(engine.url,), **options)  # type: ignore[arg-type]
    said = await recipe.inspect("main", [Read("legs.a", leg, dimension, filters)])
    assert len(said) < 2, said
    return said[0] if said else ""


def words(index: str, *fields: str) -> Lexical:
    """A leg over fields."""
    return Lexical("main", index, fields or ("title",), timeout_ms=5000)


async def test_a_sound_configuration_is_told_nothing(engine: Engine, index: str) -> None:
    """
    Words with a boost, vectors of the right length, filters of every sort, an id field.
    """
    filters = (
        Terms("kind", ()), Range("size", gte=1), AnyOf((Exists("on"), Terms("title.raw", ("x",)))),
    )  # fmt: skip
    nearest = Knn("main", index, "v", window=2)

    assert "" == await inspected(engine, words(index, "title^3"), *filters, id_field="id")
    assert "" == await inspected(engine, nearest, *filters, dimension=2, id_field="id")


async def test_an_index_that_is_not_there(engine: Engine, index: str) -> None:
    """
    Nor an alias or a pattern that names none.
    """
    for missing in ("nowhere", f"{engine.prefix}nothing-*"):
        assert f"there is no index, alias or data stream {missing!r}; create it" in (
            await inspected(engine, words(missing))
        )


async def test_fields_that_are_not_there_or_of_another_sort(engine: Engine, index: str) -> None:
    """
    Each with the choices there are.
    """
    near = Knn("main", index, "title")

    assert "legs.a.fields: 'titel' is no field of index" in (
        said := await inspected(engine, words(index, "titel"))
    )
    assert "did you mean title? choices: title" in said
    assert "legs.a.fields: 'v' is " in (said := await inspected(engine, words(index, "v")))
    assert "has no words to search; choices: title" in said
    assert "legs.a.field: 'title' is text" in (said := await inspected(engine, near))
    assert "holds no vectors; choices: v" in said


async def test_vectors_of_another_length(engine: Engine, index: str) -> None:
    """
    An embedder that isn't the index's.
    """
    said = await inspected(engine, Knn("main", index, "v", window=2), dimension=384)

    assert "'v' holds vectors of 2 numbers" in said
    assert "the leg asks with 384: name the embedder that the index was built with" in said


async def test_filters_that_cannot_be(engine: Engine, index: str) -> None:
    """
    Text is searched by words; its keyword is named.
    """
    leg = words(index)

    assert "legs.a: filter: 'knd' is no field of index" in (
        await inspected(engine, leg, Terms("knd", ()))
    )
    assert "can't be filtered by its value; use title.raw" in (
        await inspected(engine, leg, Terms("title", ()))
    )
    assert "'on' is boolean" in await inspected(engine, leg, Range("on", gt=1))


async def test_an_id_field_that_is_none(engine: Engine, index: str) -> None:
    """
    Missing, without doc values, of another content; `_id` itself where that can't be read.
    """
    leg = words(index)

    assert "id_field: 'di' is no field of index" in await inspected(engine, leg, id_field="di")
    assert "has to be a keyword" in await inspected(engine, leg, id_field="title")
    assert "has to be a keyword" in await inspected(engine, leg, id_field="bare")
    assert "id_field: 'no' holds ['x'] where the _id is 'a'" in (
        await inspected(engine, leg, id_field="no")
    )
    own = await inspected(engine, leg, id_field="_id")
    if engine.kind == "opensearch":
        assert "" == own
    else:
        assert "id_field: '_id' can't be read as a doc value here; name a keyword copy" in own


async def test_a_query_that_the_engine_does_not_know(engine: Engine, index: str) -> None:
    """
    In a template, where anything may stand.
    """
    leg = Template("main", index, '{"mach": {"title": "{{query}}"}}', timeout_ms=5000)

    assert "legs.a: the engine knows no `mach`" in await inspected(engine, leg)


async def test_a_leg_without_its_field(engine: Engine, index: str) -> None:
    """
    Weighted terms where there are words.
    """
    said = await inspected(engine, Sparse("main", index, "title", "elser"))

    assert "legs.a.field: 'title' is text" in said


def pushed(index: str, fusion: object) -> Pushdown:
    """Both legs fused by the engine."""
    legs = (("bm25", words(index)), ("dense", Knn("main", index, "v", window=10)))
    return Pushdown("main", index, legs, fusion, None, 10, 5000)  # type: ignore[arg-type]


@pytest.mark.engines("opensearch")
async def test_fusions_that_this_opensearch_lacks(engine: Engine, index: str) -> None:
    """
    Options of version 3, or the plugin altogether.
    """
    sound = await inspected(engine, pushed(index, OpenSearchRRF()))
    z_score = await inspected(
        engine, pushed(index, OpenSearchNormalization(normalization="z_score"))
    )

    if engine.name == "opensearch-2":
        assert "" == sound
        assert "legs.a.fusion.normalization: z_score needs OpenSearch 3.0 or later" == z_score
    else:
        assert "install its plugin neural-search" in sound


@pytest.mark.engines("elasticsearch")
async def test_fusions_that_this_elasticsearch_lacks(engine: Engine, index: str) -> None:
    """
    The published server core has no rrf; nor have old versions.
    """
    assert "knows no `rrf`" in await inspected(engine, pushed(index, ElasticsearchRRF()))


async def test_the_other_product(engine: Engine, index: str) -> None:
    """
    Each client refuses, or misreads, the other's cluster.
    """
    other = "opensearch" if engine.kind == "elasticsearch" else "elasticsearch"
    recipe = BACKENDS[other](hosts=(engine.url,))

    (said,) = await recipe.inspect("main", [Read("legs.a", words(index))])

    assert f"use `kind: {engine.kind}`" in said


async def test_an_index_that_lacks_a_shard(engine: Engine) -> None:
    """
    Where its documents should be there is no node.
    """
    index = f"{engine.prefix}red"
    nowhere = {"index.routing.allocation.require._name": "nobody", "number_of_replicas": 0}
    body = {"settings": nowhere, "mappings": {"properties": {"title": {"type": "text"}}}}
    engine.done("PUT", f"/{index}?wait_for_active_shards=0", body)
    recipe = BACKENDS[engine.kind](hosts=(engine.url,))
    try:
        said = await recipe.inspect("main", [Read("legs.a", words(index))])
    finally:
        engine.drop(index)

    assert f"legs.a.index: {index!r} is red: some of its documents are on no node" in said[0]
