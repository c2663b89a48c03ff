from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.errors import BadRequest
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.model import Counting, Highlight, HighlightField, Sources, Terms, TermsFacet
from proxy.plan import Pipeline, RoutePlan
from proxy.wire.search import KEYS, MAX_QUERY, Accepts, from_body, from_parameters

ACCEPTS = Accepts(50, ("color", "year"), "one", 3)


def asked(**body: Any):
    return from_body(json.dumps(body).encode(), ACCEPTS)


def refused(**body: Any) -> BadRequest:
    with pytest.raises(BadRequest) as caught:
        asked(**body)
    return caught.value


def test_what_is_not_said_has_a_default():
    """
    A query alone is the first ten.
    """
    got = asked(query="a")

    assert ("a", 10, 0, (), None) == (got.text, got.size, got.offset, got.filters, got.vector)
    assert (None, None, "search") == (got.user, got.session, got.type)
    assert (Counting(), Sources(), None) == (got.counting, got.sources, got.highlight)


def test_everything_said_is_read():
    """
    Each key arrives in its noun's form.
    """
    filters = [{"term": {"color": "red"}}, {"terms": {"year": [2001, 2002.5, True]}}]
    body = {"size": 5, "from": 45, "filters": filters, "vector": [1, 2, 3]}
    shown = {"facets": ["color"], "highlight": ["title"], "fields": ["t*"]}

    got = asked(query="a", user="u", session="s", type="typeahead", **body, **shown)

    assert (5, 45, (1.0, 2.0, 3.0)) == (got.size, got.offset, got.vector)
    assert (Terms("color", ("red",)), Terms("year", (2001, 2002.5, True))) == got.filters
    assert ("u", "s", "typeahead") == (got.user, got.session, got.type)
    assert Counting(facets=(TermsFacet("color", "color"),)) == got.counting
    assert Sources(("t*",)) == got.sources
    assert Highlight((HighlightField("title"),)) == got.highlight


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"sise": 1}, "sise"),
        ({"size": -1}, "size"),
        ({"size": 10**6}, "size"),
        ({"size": 1.0}, "size"),
        ({"size": True}, "size"),
        ({"size": "10"}, "size"),
        ({"from": -1}, "from"),
        ({"from": 41}, "from"),
        ({"from": 10**9}, "from"),
        ({"query": 5}, "query"),
        ({"query": "a" * 100_000}, "query"),
        ({"query": "a\0"}, "query"),
        ({"query": ""}, "query"),
        ({"query": " \t\n\u00a0"}, "query"),
        ({"query": None}, "query"),
        ({"user": ""}, "user"),
        ({"user": 5}, "user"),
        ({"session": "s" * 201}, "session"),
        ({"type": "Search"}, "type"),
        ({"type": []}, "type"),
        ({"vector": [1, 2]}, "vector"),
        ({"vector": [1, 2, "x"]}, "vector[2]"),
        ({"filters": {}}, "filters"),
        ({"filters": [{"term": {"price": 1}}]}, "filters[0].term"),
        ({"facets": ["price"]}, "facets[0]"),
        ({"highlight": 1}, "highlight"),
        ({"fields": "title"}, "fields"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(body: dict[str, Any], field: str):
    """
    The error names the field, and its value is cut.
    """
    error = refused(**{"query": "a", **body})

    assert field == error.field
    assert len(error.value or "") <= 100


@pytest.mark.parametrize("raw", [b"[]", b'"a"', b"null", b"1"])
def test_a_body_that_is_no_object(raw: bytes):
    """
    A search is an object.
    """
    with pytest.raises(BadRequest, match="object"):
        from_body(raw, ACCEPTS)


def test_choices_are_named():
    """
    Who asks for what there isn't learns what there is.
    """
    assert ("color", "year") == refused(query="a", filters=[{"term": {"x": 1}}]).choices
    assert ("search", "typeahead") == refused(query="a", type="x").choices


def test_a_vector_needs_no_text():
    """
    Text may be missing where a vector says what is meant.
    """
    assert ("", (1.0, 0.0, 0.0)) == (asked(vector=[1, 0, 0]).text, asked(vector=[1, 0, 0]).vector)


@pytest.mark.parametrize(("vectors", "what"), [("none", "no leg"), ("several", "ambiguous")])
def test_a_vector_that_cannot_be_used(vectors: Any, what: str):
    """
    Ignoring it silently would answer another question.
    """
    with pytest.raises(BadRequest, match=what):
        from_body(b'{"query": "a", "vector": [1]}', Accepts(50, (), vectors, None))


def test_a_shallow_route_has_a_smaller_default():
    """
    Where a page ends before ten, asking for nothing in particular is still right.
    """
    assert 5 == from_body(b'{"query": "a"}', Accepts(5, (), "none", None)).size


def test_parameters_are_read_as_a_body_is():
    """
    A URL says the same with `q`, integers as digits, and JSON for lists and objects.
    """
    given = {
        "q": "a", "size": "5", "filters": '[{"term": {"color": "red"}}]', "user": "7",
        "facets": '["year"]', "highlight": "true", "fields": '["title"]',
    }  # fmt: skip
    got = from_parameters({key: [value] for key, value in given.items()}, ACCEPTS)

    assert ("a", 5, (Terms("color", ("red",)),), "7") == (
        got.text, got.size, got.filters, got.user,
    )  # fmt: skip
    assert (TermsFacet("year", "year"),) == got.counting.facets
    assert (("title",), "*") == (
        got.sources.include,
        got.highlight and got.highlight.fields[0].name,
    )


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"query": ["a"]}, "query"),
        ({"q": ["a", "b"]}, "q"),
        ({"q": [" "]}, "q"),
        ({"q": ["a"], "size": ["ten"]}, "size"),
        ({"q": ["a"], "size": ["1.0"]}, "size"),
        ({"q": ["a"], "size": ["\u0661"]}, "size"),
        ({"q": ["a"], "from": [""]}, "from"),
        ({"q": ["a"], "filters": ["color:red"]}, "filters"),
        ({"q": ["a"], "vector": ["1,2,3"]}, "vector"),
        ({"q": ["a"], "facets": ["color"]}, "facets"),
        ({"q": ["a"], "highlight": ["yes"]}, "highlight"),
        ({"q": ["a"], "fields": ["*"]}, "fields"),
        ({"q": ["a"], "callback": ["x"]}, "callback"),
    ],
)
def test_what_is_wrong_with_parameters_is_named(given: dict[str, list[str]], field: str):
    """
    By the parameter's own name.
    """
    with pytest.raises(BadRequest) as caught:
        from_parameters(given, ACCEPTS)

    assert field == caught.value.field


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(KEYS), json_values))
def test_no_object_makes_it_raise_anything_else(body: dict[str, Any]):
    """
    Whatever the keys hold, a request is in order or a BadRequest.
    """
    try:
        got = from_body(json.dumps(body).encode(), ACCEPTS)
    except BadRequest:
        return
    assert 0 <= got.offset + got.size <= ACCEPTS.window


def route(*pipelines: Pipeline) -> RoutePlan:
    primary = pipelines[0].legs[0]
    return RoutePlan("r", tuple((p, 1.0) for p in pipelines), (), primary, 1.0, 100)


def test_what_a_route_accepts_follows_from_its_legs():
    """
    Vectors are taken where every vector leg means the same model.
    """
    text = Pipeline("t", "v", (("bm25", Lexical("b", "i", ("f",))),))
    one = Pipeline("o", "v", (("knn", Knn("b", "i", "f", "minilm")),))
    other = Pipeline("p", "v", (("knn", Knn("b", "i", "f", "e5")),))

    assert MAX_QUERY == 2_000
    assert "none" == Accepts.of(route(text)).vectors
    assert "one" == Accepts.of(route(text, one)).vectors
    assert "several" == Accepts.of(route(one, other)).vectors
