"""What the engines answer with, header by header and field by field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.engines.cluster import Engine, Vector

VECTOR = [0.6, 0.8]


@pytest.fixture
def index(new_index: Callable[..., str]) -> str:
    """Three documents whose id is a keyword too."""
    rows = [{"_id": id, "id": id, "text": "fox", "embedding": VECTOR} for id in "abc"]
    return new_index("wire", {"id": "keyword", "text": "text"}, {"embedding": Vector(2)}, rows)


@pytest.mark.engines("elasticsearch")
def test_elasticsearch_says_that_it_is_elasticsearch(engine: Engine, index: str) -> None:
    """
    Its clients refuse to talk to what lacks this header, which includes OpenSearch.
    """
    reply = engine.ask("POST", f"/{index}/_search", {})

    assert "Elasticsearch" == reply.headers["x-elastic-product"]


@pytest.mark.engines("elasticsearch")
@pytest.mark.parametrize("spoken", [7, 8, 9])
def test_elasticsearch_speaks_its_major_version_and_the_one_before(
    engine: Engine, index: str, spoken: int
) -> None:
    """
    A client sends its own version; a server of an older one refuses it, with a reason.
    """
    media = f"application/vnd.elasticsearch+json; compatible-with={spoken}"
    headers = {"accept": media, "content-type": media}

    reply = engine.ask("POST", f"/{index}/_search", {"size": 0}, headers)

    if spoken in (engine.major - 1, engine.major):
        assert 200 == reply.status
        assert f"compatible-with={spoken}" in reply.headers["content-type"]
    else:
        assert (400, "media_type_header_exception") == (
            reply.status,
            reply.json["error"]["type"],
        )


@pytest.mark.engines("opensearch")
@pytest.mark.parametrize("spoken", [7, 8, 9])
def test_opensearch_speaks_plain_json_only(engine: Engine, index: str, spoken: int) -> None:
    """
    It refuses Elasticsearch's media types, so its requests have headers of their own.
    """
    media = f"application/vnd.elasticsearch+json; compatible-with={spoken}"

    reply = engine.ask("POST", f"/{index}/_search", {"size": 0}, {"content-type": media})

    assert 406 == reply.status


def test_an_answer_is_gzipped_if_asked_to(engine: Engine, index: str) -> None:
    """
    It costs both sides CPU, so whoever is near should not ask for it.
    """
    gzipped = engine.ask("POST", f"/{index}/_search", {}, {"accept-encoding": "gzip"})
    plain = engine.ask("POST", f"/{index}/_search", {}, {"accept-encoding": "identity"})

    assert "gzip" == gzipped.headers.get("content-encoding")
    assert "content-encoding" not in plain.headers


def test_elasticsearch_answers_in_chunks_and_opensearch_with_a_length(
    engine: Engine, index: str
) -> None:
    """
    Whoever bounds the size of an answer can't trust in a content length.
    """
    headers = engine.ask("POST", f"/{index}/_search", {}).headers

    if engine.kind == "elasticsearch":
        assert "chunked" == headers["transfer-encoding"]
        assert "content-length" not in headers
    else:
        assert "content-length" in headers


def test_ids_come_cheapest_from_a_keyword_field(engine: Engine, index: str) -> None:
    """
    Without stored fields a hit has no `_id` and no `_source`; its copy as doc values stays.
    """
    body = {"stored_fields": "_none_", "docvalue_fields": ["id"], "sort": ["id"]}

    hits = engine.search(index, body)["hits"]["hits"]

    assert [{"id": ["a"]}, {"id": ["b"]}, {"id": ["c"]}] == [hit["fields"] for hit in hits]
    assert all("_id" not in hit and "_source" not in hit for hit in hits)


def test_doc_values_of_the_id_itself_are_opensearchs_only(engine: Engine, index: str) -> None:
    """
    OpenSearch loads them on to its heap; Elasticsearch refuses unless its operator says so.
    """
    body = {"stored_fields": "_none_", "docvalue_fields": ["_id"], "sort": ["id"]}

    reply = engine.ask("POST", f"/{index}/_search", body)

    if engine.kind == "opensearch":
        assert {"_id": ["a"]} == reply.json["hits"]["hits"][0]["fields"]
    else:
        assert 400 == reply.status
        assert "indices.id_field_data.enabled" in reply.body.decode()


def test_elasticsearch_9_hides_vectors(engine: Engine, index: str) -> None:
    """
    Since 9.2 a vector is in `_source` only for who asks for it; before, and in OpenSearch, always.
    """

    def source(body: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = engine.search(index, body)["hits"]["hits"][0]["_source"]
        return found

    assert (engine.name != "elasticsearch-9") == ("embedding" in source({}))
    if engine.kind == "elasticsearch":
        asked = source({"_source": {"exclude_vectors": False}})
        assert pytest.approx(VECTOR, abs=1e-6) == asked["embedding"]


@pytest.mark.parametrize(
    ("upto", "total"),
    [
        (True, {"value": 3, "relation": "eq"}),
        (3, {"value": 3, "relation": "eq"}),
        (2, {"value": 2, "relation": "gte"}),
        (False, None),
    ],
)
def test_a_total_is_counted_as_far_as_asked(
    engine: Engine, index: str, upto: int | bool, total: dict[str, Any] | None
) -> None:
    """
    Beyond that it is a lower bound; asked for none, there is no total at all.
    """
    body = {"size": 0, "query": {"match": {"text": "fox"}}, "track_total_hits": upto}

    assert total == engine.search(index, body)["hits"].get("total")


def test_a_missing_index_is_told_apart(engine: Engine) -> None:
    """
    404 with a type, not an empty answer.
    """
    reply = engine.ask("POST", f"/{engine.prefix}nothing/_search", {})

    assert (404, "index_not_found_exception") == (reply.status, reply.json["error"]["type"])


def test_a_missing_document_is_marked_among_the_found(engine: Engine, index: str) -> None:
    """
    `_mget` answers 200 and each document for itself, in the order asked.
    """
    body = {"docs": [{"_id": "b", "_source": ["id"]}, {"_id": "z"}]}

    docs = engine.done("POST", f"/{index}/_mget", body)["docs"]

    assert [("b", True), ("z", False)] == [(doc["_id"], doc["found"]) for doc in docs]
    assert {"id": "b"} == docs[0]["_source"]
