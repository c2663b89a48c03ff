"""Documents and vectors by id, as bodies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.backends import Wanted
from proxy.backends.cluster.requests import Engine, Reach, Request, fetch_body, vectors_body
from proxy.backends.cluster.requests.filters import clause
from proxy.legs.lexical import Lexical
from proxy.model import Highlight, HighlightField, Sources, Terms

ELASTIC, OPEN = Engine("elasticsearch", (9, 2)), Engine("opensearch", (2, 19))
ONE = Reach("faq")
SEVERAL = Reach("logs-*", several=True, indices=frozenset({"logs-1", "logs-2", "logs-3"}))
IDS = ("1", "a/b")
NAMES = ("logs-1/1", "logs-2/2", "logs-1/a/b")
OPENED = Terms("open", (True,))
BM25 = Lexical("main", "faq", ("title",))
MARKED = Wanted(Sources(("title",)), (), Highlight((HighlightField("title"),)), BM25, "disk")


def body(request: Request) -> Any:
    """What is sent."""
    return json.loads(request.body)


def fetched(reach: Reach, ids: tuple[str, ...], wanted: Wanted) -> Request:
    """The request for documents."""
    return fetch_body(OPEN, reach, ids, wanted, 300)


def test_documents_are_fetched_by_one_mget() -> None:
    """
    One index is named by the path, several by the documents.
    """
    one, several = fetched(ONE, IDS, Wanted()), fetched(SEVERAL, NAMES, Wanted())

    assert ("/faq/_mget", "mget", {"ids": ["1", "a/b"]}) == (one.path, one.answer, body(one))
    assert {"docs": [
        {"_index": "logs-1", "_id": "1"},
        {"_index": "logs-1", "_id": "a/b"},
        {"_index": "logs-2", "_id": "2"},
    ]} == body(several)  # fmt: skip
    assert {} == one.params


@pytest.mark.parametrize(
    ("sources", "params"),
    [
        (Sources(), {}),
        (Sources(()), {"_source": "false"}),
        (Sources(("title", "meta.*")), {"_source_includes": "title,meta.*"}),
        (Sources(None, ("text",)), {"_source_excludes": "text"}),
        (Sources(("a",), ("b", "c")), {"_source_includes": "a", "_source_excludes": "b,c"}),
    ],
)
def test_what_is_shown_is_said_once(sources: Sources, params: dict[str, str]) -> None:
    """
    For all documents together, in the URL.
    """
    request = fetched(ONE, IDS, Wanted(sources))

    assert (params, {"ids": list(IDS)}) == (request.params, body(request))


@pytest.mark.parametrize("path", ["last, first", "x" * 1_001, "ö" * 200])
def test_what_does_not_fit_the_url_is_said_with_each_document(path: str) -> None:
    """
    A comma would separate two paths there, and its length is limited.
    """
    request = fetched(ONE, ("1",), Wanted(Sources((path,), ("text",))))
    shown = {"includes": [path], "excludes": ["text"]}

    assert {"docs": [{"_id": "1", "_source": shown}]} == body(request)
    assert {} == request.params


def test_filtered_documents_are_searched_by_id() -> None:
    """
    A document that doesn't pass is as good as gone, and `_mget` knows no filters.
    """
    request = fetched(ONE, IDS, Wanted(Sources(("title",), ("text",)), (OPENED,)))

    assert ("/faq/_search", "search") == (request.path, request.answer)
    assert {
        "query": {"bool": {"filter": [{"ids": {"values": ["1", "a/b"]}}, clause(OPENED)]}},
        "size": 2,
        "timeout": "300ms",
        "track_total_hits": False,
        "_source": {"includes": ["title"], "excludes": ["text"]},
    } == body(request)


def test_of_several_indices_each_has_ids_of_its_own() -> None:
    """
    The same id in another index is another document.
    """
    among = body(fetched(SEVERAL, NAMES, Wanted(filters=(OPENED,))))["query"]["bool"]["filter"][0]

    assert {"bool": {"minimum_should_match": 1, "should": [
        {"bool": {"filter": [
            {"term": {"_index": {"value": "logs-1"}}}, {"ids": {"values": ["1", "a/b"]}},
        ]}},
        {"bool": {"filter": [
            {"term": {"_index": {"value": "logs-2"}}}, {"ids": {"values": ["2"]}},
        ]}},
    ]}} == among  # fmt: skip


@pytest.mark.parametrize(
    "wanted", [Wanted(filters=(OPENED,)), MARKED, Wanted(Sources(()), (OPENED,))]
)
@pytest.mark.parametrize(("reach", "ids"), [(ONE, IDS), (SEVERAL, NAMES), (SEVERAL, ("1",))])
def test_every_search_by_id_is_one_that_the_schema_allows(
    reach: Reach, ids: tuple[str, ...], wanted: Wanted, valid: Any
) -> None:
    """
    Filtered, or with marks.
    """
    asked = valid(fetch_body(ELASTIC, reach, ids, wanted, 300))

    assert (wanted is MARKED) == ("highlight" in asked)


@pytest.mark.parametrize("filters", [(), (OPENED,)])
def test_what_no_document_can_be_called_is_not_found(filters: tuple[Terms, ...]) -> None:
    """
    Among several indices a name without an index is nobody's, and `_mget` refuses to find nothing.
    """
    request = fetched(SEVERAL, ("1", "/2", "logs-1/"), Wanted(filters=filters))

    assert "search" == request.answer
    assert {"match_none": {}} == body(request)["query"]["bool"]["filter"][0]


@pytest.mark.parametrize("names", [(".security/1",), ("logs-1/1", "secrets/2"), ("logs-4/1",)])
def test_nobody_reads_another_index_by_naming_it(names: tuple[str, ...]) -> None:
    """
    `_mget` would go wherever a name says; a search stays within what the leg reads, and finds
    the documents of an index that has just been added to it.
    """
    document = fetched(SEVERAL, names, Wanted())
    vector = vectors_body(ELASTIC, SEVERAL, "embedding", names)

    assert ["/logs-*/_search"] * 2 == [document.path, vector.path]
    assert fetched(Reach("logs-*", several=True), NAMES, Wanted()).path == document.path


def test_vectors_are_read_from_sources() -> None:
    """
    Elasticsearch leaves them out from 9.2 on unless it is told not to.
    """
    new, old = (
        vectors_body(engine, ONE, "embedding", IDS)
        for engine in (ELASTIC, Engine("elasticsearch", (8, 19)))
    )

    assert {"_source_includes": "embedding"} == old.params
    assert {"_source_includes": "embedding", "_source_exclude_vectors": "false"} == new.params
    assert old.params == vectors_body(Engine("opensearch", (3, 5)), ONE, "embedding", IDS).params
    assert ("mget", {"ids": ["1", "a/b"]}) == (new.answer, body(new))


def test_vectors_that_are_searched_are_asked_for_as_well(valid: Any) -> None:
    """
    Where their place isn't known, or a comma in the field's name would divide it.
    """
    several = valid(vectors_body(ELASTIC, SEVERAL, "embedding", ("logs-9/1",)))
    comma = body(vectors_body(OPEN, ONE, "a,b", IDS))

    assert {"includes": ["embedding"], "exclude_vectors": False} == several["_source"]
    assert ({"includes": ["a,b"]}, 2) == (comma["_source"], comma["size"])
