"""The launcher itself: what it starts answers as what it is."""

from __future__ import annotations

from collections.abc import Callable

from tests.engines.cluster import Engine, Vector


def test_an_engine_is_what_it_is_called(engine: Engine) -> None:
    """
    Kind and version are what the cluster says of itself.
    """
    said = engine.done("GET", "/")["version"]

    assert engine.version == said["number"]
    assert engine.kind == said.get("distribution", "elasticsearch")


def test_an_index_holds_text_keywords_and_vectors(
    engine: Engine, new_index: Callable[..., str]
) -> None:
    """
    Each kind of field is searched the way its engine has it.
    """
    documents = [
        {"_id": "a", "text": "Running dogs", "course": "zoo", "embedding": [1.0, 0.0]},
        {"_id": "b", "text": "a cat", "course": "zoo", "embedding": [0.0, 1.0]},
    ]
    fields = {"text": "english", "course": "keyword"}
    index = new_index("pets", fields, {"embedding": Vector(2)}, documents)

    assert ["a"] == [id for id, _ in engine.hits(index, {"query": {"match": {"text": "run"}}})]
    assert 2 == len(engine.hits(index, {"query": {"term": {"course": "zoo"}}}))
    assert ["b"] == [id for id, _ in engine.hits(index, engine.knn("embedding", [0.1, 0.9], 1))]
