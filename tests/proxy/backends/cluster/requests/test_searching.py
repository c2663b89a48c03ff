"""Searches and counts as bodies."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from proxy.backends import Question
from proxy.backends.cluster.requests import Engine, Reach, Request, count_body, search_body
from proxy.fusion import ElasticsearchRRF, OpenSearchRRF
from proxy.legs import Leg
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.legs.neural import Neural
from proxy.legs.pushdown import Pushdown
from proxy.legs.sparse import Sparse
from proxy.legs.template import Template
from proxy.model import (
    AllOf,
    AnyOf,
    Counting,
    Exists,
    HistogramFacet,
    MetricFacet,
    Not,
    Range,
    RangeFacet,
    Terms,
    TermsFacet,
)

ELASTIC, OPEN = Engine("elasticsearch", (9, 2)), Engine("opensearch", (2, 19))
FAQ = Reach("faq")
BM25 = Lexical("main", "faq", ("title^3", "text"), window=40)
DENSE = Knn("main", "faq", "embedding", "minilm", window=40)
LEGS: list[Leg] = [
    BM25,
    DENSE,
    Neural("main", "faq", "embedding", "e5"),
    Sparse("main", "faq", "terms", "elser"),
    Template("main", "faq", '{"match_phrase": {"title": {"query": "{{query}}"}}}'),
]
FILTERS = (
    Terms("section", ("draft",)),
    Terms("year", (2023, 2024)),
    AnyOf((Exists("title"), Not(Range("year", gt=1, lte=5)))),
    AllOf((Range("at", gte="2024-01-01", lt="2025-01-01"), AnyOf(()), AllOf(()))),
)
FACETS = (
    TermsFacet("sections", "section"),
    RangeFacet("years", "year", (("old", None, 2000.0), (None, 2000.0, None))),
    RangeFacet("dates", "at", (("old", None, "2000-01-01"),)),
    HistogramFacet("decades", "year", 10.0),
    HistogramFacet("months", "at", "month"),
    HistogramFacet("halves", "at", "12h"),
    MetricFacet("last", "year", "max"),
    MetricFacet("all", "year", "stats"),
    MetricFacet("different", "year", "cardinality"),
)
VECTOR = np.array([0.5, 0.25], np.float32)
ASKED = Question("hard disk", FILTERS, VECTOR, Counting(10_000, FACETS))


def pushed(engine: Engine) -> Pushdown:
    """Both legs, fused by the engine."""
    fusion = ElasticsearchRRF() if engine.elastic else OpenSearchRRF()
    return Pushdown("main", "faq", (("bm25", BM25), ("dense", DENSE)), fusion, None, 40, 300)


def body(request: Request) -> Any:
    """What is sent."""
    return json.loads(request.body)


@pytest.mark.parametrize("reach", [FAQ, Reach("logs-*", several=True, id_field="id")])
@pytest.mark.parametrize("leg", [*LEGS, pushed(ELASTIC)], ids=lambda leg: type(leg).__name__)
def test_every_request_is_one_that_the_schema_allows(leg: Leg, reach: Reach, valid: Any) -> None:
    """
    Each kind of leg, searched and counted, with every filter and facet there is.
    """
    assert valid(search_body(ELASTIC, reach, leg, ASKED, 300))["aggregations"]
    assert valid(search_body(ELASTIC, reach, leg, Question("x", (), VECTOR), 300))
    assert valid(count_body(ELASTIC, reach, leg, ASKED, 300))["aggregations"]


def test_a_search_brings_ids_and_scores_only() -> None:
    """
    A hit's source is what costs, and its stored id: where there is a copy, that isn't read either.
    """
    plain = body(search_body(OPEN, FAQ, BM25, Question("disk"), 250))
    copied = body(search_body(OPEN, Reach("faq", id_field="id"), BM25, Question("disk"), 250))

    assert plain.pop("query") == copied.pop("query")
    assert plain == {
        "_source": False, "size": 40, "timeout": "250ms", "track_total_hits": False,
    }  # fmt: skip
    assert copied == {
        "stored_fields": "_none_", "docvalue_fields": [{"field": "id"}],
        "size": 40, "timeout": "250ms", "track_total_hits": False,
    }  # fmt: skip


def test_what_is_missing_is_an_error_and_what_is_partial_is_not() -> None:
    """
    A pattern that names no index must not look like an index without answers.
    """
    request = search_body(OPEN, FAQ, BM25, Question("disk"), 250)

    assert "/faq/_search" == request.path
    assert {
        "allow_partial_search_results": "true",
        "allow_no_indices": "false",
        "ignore_unavailable": "false",
    } == request.params


@pytest.mark.parametrize(
    ("counting", "tracked"),
    [
        (None, False),
        (Counting(0), False),
        (Counting(1), 1),
        (Counting(), 10_000),
        (Counting(2**31 - 1), True),
        (Counting(2**40), True),
    ],
)
def test_matches_are_counted_as_far_as_somebody_reads(
    counting: Counting | None, tracked: object
) -> None:
    """
    Engines take no number above an int; nobody is exact by saying so.
    """
    asked = body(search_body(OPEN, FAQ, BM25, Question("disk", counting=counting), 250))

    assert (tracked, type(tracked)) == (asked["track_total_hits"], type(asked["track_total_hits"]))


def test_a_size_may_be_asked_for() -> None:
    """
    Neighbours are looked for as deep; a pipeline is fused as deep as ever, so that its order
    doesn't depend on the size.
    """
    asked = Question("disk", (), VECTOR)
    near = body(search_body(ELASTIC, FAQ, DENSE, asked, 250, 7))
    retriever = body(search_body(ELASTIC, FAQ, pushed(ELASTIC), asked, 250, 7))
    hybrid = body(search_body(OPEN, FAQ, pushed(OPEN), asked, 250, 7))

    assert (7, 7) == (near["size"], near["knn"]["k"])
    assert (7, 40) == (retriever["size"], retriever["retriever"]["rrf"]["rank_window_size"])
    assert (7, 40) == (hybrid["size"], hybrid["query"]["hybrid"]["pagination_depth"])
    assert 40 == body(search_body(OPEN, FAQ, pushed(OPEN), asked, 250, 99))["size"]


@pytest.mark.parametrize("engine", [ELASTIC, OPEN])
def test_a_count_asks_what_the_search_asks(engine: Engine) -> None:
    """
    For no document at all, and as far as engines count where nothing else is said.
    """
    counted = body(count_body(engine, FAQ, BM25, Question("disk", FILTERS), 250))
    searched = body(search_body(engine, FAQ, BM25, Question("disk", FILTERS), 250))

    assert searched["query"] == counted.pop("query")
    assert {"size": 0, "timeout": "250ms", "track_total_hits": 10_000} == counted


def test_a_fused_pipeline_counts_what_any_leg_finds() -> None:
    """
    As the engines do, without the work of fusing.
    """
    retriever = body(count_body(ELASTIC, FAQ, pushed(ELASTIC), ASKED, 250))
    hybrid = body(count_body(OPEN, FAQ, pushed(OPEN), ASKED, 250))

    assert 1 == retriever["query"]["bool"]["minimum_should_match"]
    assert [40] == [section["k"] for section in retriever["knn"]]
    assert [{"bool"}, {"knn"}] == [each.keys() for each in hybrid["query"]["bool"]["should"]]


def test_nothing_counted_holds_vectors_alone() -> None:
    """
    Then there is no query beside them.
    """
    legs = (("a", DENSE), ("b", DENSE))
    leg = Pushdown("main", "faq", legs, ElasticsearchRRF(), None, 40, 300)

    assert "query" not in body(count_body(ELASTIC, FAQ, leg, ASKED, 250))


@pytest.mark.parametrize(
    "wrong",
    [
        b'{"sise": 10}',
        b'{"retriever": {"rrf": {"retrievers": [], "rank_constnat": 20}}}',
        b'{"query": {"bool": {"filter": [{"term": {"open": {"valeu": true}}}]}}}',
        b'{"knn": {"field": "embedding", "k": 5, "filters": []}}',
    ],
)
def test_what_is_misspelt_is_none_that_the_schema_allows(wrong: bytes, valid: Any) -> None:
    """
    The check above would be worth little if it let unknown keys pass.
    """
    with pytest.raises(AssertionError, match=r"unexpected|not valid"):
        valid(Request("/faq/_search", {}, wrong, "search"))
