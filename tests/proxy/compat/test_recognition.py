from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from proxy import model
from proxy.compat.queries import Searched
from proxy.compat.recognition import (
    COUNT_MOST,
    Limits,
    Recognised,
    Unrecognised,
    recognise,
    recognise_count,
)
from proxy.model import COUNT_TO, Counting, Highlight, HighlightField, Sources, Terms, TermsFacet

LIMITS = Limits(50, ("color", "year"))
APPLE = {"match": {"text": "apple"}}
RED = {"term": {"color": "red"}}


def recognised(body: dict[str, Any]) -> Recognised:
    got = recognise(body, LIMITS)
    assert isinstance(got, Recognised), got
    return got


def refused(body: object) -> tuple[str, str]:
    got = recognise(body, LIMITS)
    assert isinstance(got, Unrecognised), got
    return got.path, got.reason


def test_what_is_not_said_has_a_default():
    """
    A query alone is the first ten, counted as far as engines count.
    """
    expected = Recognised("apple", 10, 0, (), Counting(COUNT_TO), True, Sources(), None, None, None)

    assert expected == recognise({"query": APPLE}, LIMITS)


def test_everything_said_is_kept():
    """
    Filters, page, fields, highlights, facets and counting reach the pipelines.
    """
    body = {
        "query": {"bool": {"must": APPLE, "filter": [RED]}},
        "from": 20,
        "size": 30,
        "_source": ["text"],
        "highlight": {"fields": {"text": {}}},
        "aggs": {"colors": {"terms": {"field": "color"}}},
        "sort": [{"_score": {"order": "desc"}}],
        "track_total_hits": 500,
        "track_scores": True,
        "timeout": "2s",
        "ext": {"ubi": {"query_id": "theirs", "client_id": "anna", "user_query": "apple"}},
    }
    expected = Recognised(
        "apple", 30, 20, (Terms("color", ("red",)),),
        Counting(500, (TermsFacet("colors", "color"),)), True, Sources(("text",)),
        Highlight((HighlightField("text"),)), "anna", None,
    )  # fmt: skip

    assert expected == recognise(body, LIMITS)


def test_a_small_window_shortens_the_page_that_is_not_asked_for():
    """
    Only what a client says can be too much.
    """
    got = recognise({"query": APPLE}, Limits(3))

    assert isinstance(got, Recognised)
    assert 3 == got.size


@pytest.mark.parametrize(
    ("said", "upto", "counts"),
    [(True, COUNT_MOST, True), (False, COUNT_TO, False), (1, 1, True), (None, COUNT_TO, True)],
)
def test_counting_is_bounded(said, upto, counts):
    """
    Exactly means as far as is affordable; not at all leaves the log its total.
    """
    got = recognised({"query": APPLE, "track_total_hits": said})

    assert (upto, counts) == (got.counting.upto, got.counts)


@pytest.mark.parametrize(
    "sort",
    [
        "_score", ["_score"], {"_score": "desc"}, [{"_score": "desc"}],
        [{"_score": {"order": "desc"}}], [{"_score": {}}], [], None,
    ],
)  # fmt: skip
def test_the_order_by_score_has_several_spellings(sort):
    """
    They all mean what happens anyway.
    """

    assert isinstance(recognise({"query": APPLE, "sort": sort}, LIMITS), Recognised)


def test_a_user_and_a_session_are_taken_from_ubi():
    """
    Whoever instruments a page for UBI has said who asks.
    """
    got = recognised({"query": APPLE, "ext": {"ubi": {"client_id": "a", "session_id": "b"}}})

    assert ("a", "b", "search") == (got.user, got.session, got.type)


def test_what_appears_while_somebody_types_is_said_by_ubi():
    """
    It is served, and kept out of the log and the measures.
    """

    assert (
        "typeahead"
        == recognised({"query": APPLE, "ext": {"ubi": {"application": "typeahead"}}}).type
    )


def test_a_text_beside_knn_is_the_query():
    """
    The vector is made anew by the route's own model.
    """
    knn = {"field": "v", "query_vector": [1, 2], "k": 5, "num_candidates": 10}

    assert "apple" == recognised({"query": APPLE, "knn": knn}).text
    assert "apple" == recognised({"query": APPLE, "knn": [knn, knn]}).text


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ({"script_fields": {}}, "script_fields"),
        ({"runtime_mappings": {}}, "runtime_mappings"),
        ({"stored_fields": []}, "stored_fields"),
        ({"docvalue_fields": []}, "docvalue_fields"),
        ({"fields": ["text"]}, "fields"),
        ({"profile": True}, "profile"),
        ({"explain": True}, "explain"),
        ({"suggest": {}}, "suggest"),
        ({"indices_boost": []}, "indices_boost"),
        ({"min_score": 1}, "min_score"),
        ({"rescore": {}}, "rescore"),
        ({"collapse": {"field": "color"}}, "collapse"),
        ({"search_pipeline": {}}, "search_pipeline"),
        ({"post_filter": RED}, "post_filter"),
        ({"pit": {"id": "x"}}, "pit"),
        ({"search_after": [1]}, "search_after"),
        ({"slice": {"id": 0, "max": 2}}, "slice"),
        ({"retriever": {"standard": {"query": APPLE}}}, "query"),
        ({"sort": "year"}, "sort[0].year"),
        ({"sort": [{"_score": "asc"}]}, "sort[0]._score"),
        ({"sort": ["_score", {"_script": {}}]}, "sort[1]._script"),
        ({"sort": [{"_score": {"order": "desc", "nested": {}}}]}, "sort[0]._score.nested"),
        ({"sort": [1]}, "sort[0]"),
        ({"size": -1}, "size"),
        ({"size": 51}, "size"),
        ({"size": "10"}, "size"),
        ({"from": 45, "size": 10}, "from"),
        ({"track_total_hits": 0}, "track_total_hits"),
        ({"track_total_hits": COUNT_MOST + 1}, "track_total_hits"),
        ({"track_total_hits": "yes"}, "track_total_hits"),
        ({"track_scores": "yes"}, "track_scores"),
        ({"timeout": 5}, "timeout"),
        ({"ext": {"other": {}}}, "ext.other"),
        ({"ext": {"ubi": {"more": 1}}}, "ext.ubi.more"),
        ({"ext": {"ubi": {"client_id": ""}}}, "ext.ubi.client_id"),
        ({"aggs": {}, "aggregations": {}}, "aggregations"),
        ({"_source": {"script": 1}}, "_source.script"),
        ({"highlight": {"highlight_query": APPLE}}, "highlight.highlight_query"),
    ],
)
def test_what_is_not_recognised_is_named(more, path):
    """
    The path says where a client must look.
    """

    assert path == refused({"query": APPLE, **more})[0]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ([], "body"),
        ({}, "query"),
        ({"query": None}, "query"),
        ({"query": {"match_all": {}}}, "query"),
        ({"query": {"match_all": {}}, "size": 0, "aggs": {}}, "query"),
        ({"query": RED}, "query"),
        ({"knn": {"field": "v", "query_vector": [1]}}, "query"),
        ({"query": APPLE, "knn": {"field": "v", "filter": RED}}, "knn"),
        ({"query": APPLE, "knn": {"field": "v", "similarity": 0.5}}, "knn.similarity"),
    ],
)
def test_a_search_needs_a_text(body, path):
    """
    Pipelines rank by a text; filters alone rank nothing.
    """

    assert path == refused(body)[0]


def test_points_in_time_are_refused_with_a_reason():
    """
    Who pages through everything is told what there is instead.
    """
    path, reason = refused({"pit": {"id": "x", "keep_alive": "1m"}})

    assert ("pit", True) == (path, "`from` and `size`" in reason)


def test_caps_hold_before_anything_is_read():
    """
    Depth and clauses are bounded even where nothing would have looked.
    """
    deep: Any = APPLE
    for _ in range(40):
        deep = {"bool": {"must": deep}}
    wide = {"bool": {"must": APPLE, "filter": [RED] * 600}}

    assert "nested deeper" in refused({"query": deep})[1]
    assert "more than 512 objects" in refused({"query": wide})[1]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"query": APPLE}, Searched("apple")),
        (
            {"query": {"bool": {"must": APPLE, "filter": RED}}},
            Searched("apple", (Terms("color", ("red",)),)),
        ),
    ],
)
def test_a_count_is_a_query_alone(body, expected):
    """
    Counted is what a search would match.
    """

    assert expected == recognise_count(body, LIMITS)


@pytest.mark.parametrize(
    ("body", "path"),
    [({"query": APPLE, "size": 1}, "size"), ({}, "query"), ({"query": {"match_all": {}}}, "query")],
)
def test_what_a_count_refuses(body, path):
    """
    What ranks nothing counts nothing.
    """
    got = recognise_count(body, LIMITS)

    assert isinstance(got, Unrecognised)
    assert path == got.path


HOSTILE = (
    "script", "script_score", "function_score", "percolate", "more_like_this", "wildcard",
    "regexp", "prefix", "fuzzy", "query_string", "nested", "has_child", "has_parent", "ids",
    "terms_set", "intervals", "pinned", "wrapper", "template", "geo_shape", "rank_feature",
    "distance_feature", "dis_max", "boosting", "constant_score", "span_term", "parent_id",
    "hybrid", "neural", "sparse_vector", "semantic", "rule", "text_expansion", "weighted_tokens",
    "knn", "nothing",
)  # fmt: skip
NAMES = st.sampled_from(
    [
        *HOSTILE, "match", "multi_match", "simple_query_string", "match_phrase",
        "combined_fields", "bool", "must", "should", "filter", "must_not", "term", "terms",
        "range", "exists", "match_all", "query", "retriever", "standard", "rrf", "linear",
        "retrievers", "knn", "aggs", "highlight", "_source", "fields", "field", "value", "gte",
        "color", "year", "text", "sort", "_score", "order", "size", "from", "ext", "ubi",
        "client_id", "script_fields", "runtime_mappings", "stored_fields", "profile", "explain",
        "suggest", "inner_hits", "indices_boost", "index", "id", "path", "source", "_name", "pit",
        "minimum_should_match", "scripted_metric", "top_hits", "scroll", "search_after",
    ]
)  # fmt: skip
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    | st.sampled_from(["color", "year", "_score", "desc", "_all", "*", "other,faq", "doc['a']"])
)  # fmt: skip
HOSTILE_JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=25,
)
NOUNS = tuple(value for value in vars(model).values() if dataclasses.is_dataclass(value))


def only_nouns(value: object) -> bool:
    """Whether a recognised search is made of nouns and scalars alone."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        known = isinstance(value, (*NOUNS, Recognised, Searched))
        return known and all(only_nouns(getattr(value, f.name)) for f in dataclasses.fields(value))
    if isinstance(value, tuple):
        return all(map(only_nouns, value))
    return value is None or isinstance(value, str | int | float | bool)


def fields_of(got: Recognised) -> set[str]:
    """Every field that a recognised search filters or counts by."""
    leaves = (leaf.field for each in got.filters for leaf in model.leaves(each))
    return {*leaves, *(facet.field for facet in got.counting.facets)}


@given(st.dictionaries(NAMES, HOSTILE_JSON, max_size=5) | HOSTILE_JSON)
@example({"query": {"bool": {"should": [None]}}})
def test_nothing_hostile_is_let_through(body):
    """
    Whatever comes, the result is nouns over fields that may be filtered by, or a reason.
    """
    got = recognise(body, LIMITS)

    assert isinstance(got, Unrecognised) or (
        only_nouns(got) and fields_of(got) <= {"color", "year"}
    )
    assert isinstance(recognise_count(body, LIMITS), Searched | Unrecognised)


PLACES = (
    lambda clause: {"query": clause},
    lambda clause: {"query": {"bool": {"must": [APPLE, clause]}}},
    lambda clause: {"query": {"bool": {"must": APPLE, "should": clause}}},
    lambda clause: {"query": {"bool": {"must": APPLE, "filter": [RED, clause]}}},
    lambda clause: {"query": {"bool": {"must": APPLE, "must_not": {"bool": {"must": clause}}}}},
    lambda clause: {
        "query": {"bool": {"must": APPLE, "filter": {"bool": {"should": [RED, clause]}}}}
    },
    lambda clause: {"query": APPLE, "knn": {"field": "v", "filter": clause}},
    lambda clause: {"retriever": {"standard": {"query": clause}}},
    lambda clause: {"retriever": {"standard": {"query": APPLE, "filter": clause}}},
    lambda clause: {"retriever": {"rrf": {"retrievers": [{"standard": {"query": clause}}]}}},
    lambda clause: {"retriever": {"linear": {"retrievers": [], "filter": clause}}},
    lambda clause: {"query": APPLE, "post_filter": clause},
    lambda clause: {"query": APPLE, "aggs": {"a": {"filter": clause}}},
    lambda clause: {"query": APPLE, "rescore": {"query": {"rescore_query": clause}}},
    lambda clause: {
        "query": APPLE, "highlight": {"fields": {"text": {"highlight_query": clause}}}
    },
)  # fmt: skip


@pytest.mark.parametrize("place", PLACES, ids=lambda place: json.dumps(place("…")))
def test_a_clause_that_is_not_listed_is_refused_wherever_it_stands(place):
    """
    Its path ends where it begins, or before.
    """
    for kind in HOSTILE:
        path, reason = refused(place({kind: {"query": "apple", "field": "color"}}))
        assert path, kind
        assert reason, kind


@given(
    st.sampled_from(PLACES),
    st.sampled_from([
        {"terms": {"color": {"index": "other", "id": "1", "path": "secret"}}},
        {"terms": {"color": {"query": APPLE}}},
        {"term": {"color": {"value": {"script": "1"}}}},
        {"range": {"year": {"gte": {"script": "1"}}}},
        {"exists": {"field": "secret"}},
        {"term": {"secret": 1}},
        {"match": {"text": {"query": {"script": "1"}}}},
        {"term": {"color": "red", "year": 1}},
        {"bool": {"must": APPLE, "inner_hits": {}}},
    ]),
)  # fmt: skip
def test_a_listed_clause_lets_nothing_else_in(place, clause):
    """
    Lookups, scripts and other fields are refused within clauses that are recognised.
    """

    assert isinstance(recognise(place(clause), LIMITS), Unrecognised)


CLAUSES = st.sampled_from(
    [
        APPLE, RED, {"terms": {"color": ["red"]}}, {"range": {"year": {"gte": 1}}},
        {"exists": {"field": "year"}}, {"match_all": {}},
    ]
) | st.builds(lambda kind: {kind: {"source": "1"}}, st.sampled_from(HOSTILE))  # fmt: skip
QUERIES = st.recursive(
    CLAUSES,
    lambda inner: st.builds(
        lambda held: {"bool": held},
        st.dictionaries(
            st.sampled_from(["must", "should", "filter", "must_not"]),
            inner | st.lists(inner, max_size=2),
        ),
    ),
    max_leaves=6,
)
BODIES = st.fixed_dictionaries(
    {"query": QUERIES | st.just(APPLE)},
    optional={
        "aggs": st.dictionaries(
            st.sampled_from("ab"),
            st.sampled_from([{"terms": {"field": "color"}}, {"top_hits": {}}, {"max": {}}]),
        ),
        "knn": st.builds(lambda clause: {"field": "v", "filter": clause}, QUERIES),
        "sort": st.sampled_from(["_score", "year", {"_script": {}}]),
        "runtime_mappings": st.just({}),
    },
)


@given(BODIES)
def test_one_hostile_clause_spoils_the_whole(body):
    """
    What is recognised holds none, anywhere: nothing is dropped to make the rest fit.
    """
    got = recognise(body, LIMITS)
    said = json.dumps(list(body.values()))  # `knn` beside `query` is none, within it it is
    hostile = [kind for kind in (*HOSTILE, "_script", "top_hits") if f'{{"{kind}"' in said]

    if isinstance(got, Recognised):
        assert [] == hostile
        assert "runtime_mappings" not in body
        assert only_nouns(got)
        assert fields_of(got) <= {"color", "year"}
        assert "apple" == got.text


def test_filters_are_counted():
    """
    Each costs a look at every document, so there is an end.
    """
    many = [{"term": {"color": str(number)}} for number in range(65)]
    query = {"bool": {"must": APPLE, "filter": many}}

    path, reason = refused({"query": query})

    assert ("query", "has 65 filters; 64 are allowed") == (path, reason)
