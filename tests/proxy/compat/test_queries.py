from __future__ import annotations

import pytest

from proxy.compat.queries import Searched, query
from proxy.errors import BadRequest
from proxy.model import AnyOf, Not, Terms

FIELDS = ("color",)
APPLE = {"match": {"text": "apple"}}
RED, BLUE = {"term": {"color": "red"}}, {"term": {"color": "blue"}}
IS_RED, IS_BLUE = Terms("color", ("red",)), Terms("color", ("blue",))


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        (APPLE, Searched("apple")),
        ({"bool": {"must": APPLE}}, Searched("apple")),
        ({"bool": {"must": [APPLE, RED]}}, Searched("apple", (IS_RED,))),
        ({"bool": {"must": [APPLE, {"match_all": {}}]}}, Searched("apple")),
        ({"bool": {"should": [APPLE]}}, Searched("apple")),
        ({"bool": {"should": APPLE, "minimum_should_match": 1}}, Searched("apple")),
        ({"bool": {"should": [APPLE], "filter": RED}}, Searched("apple", (IS_RED,))),
        ({"bool": {"must": APPLE, "must_not": RED}}, Searched("apple", (Not(IS_RED),))),
        (
            {"bool": {"must": APPLE, "should": [RED, BLUE], "minimum_should_match": 1}},
            Searched("apple", (AnyOf((IS_RED, IS_BLUE)),)),
        ),
        (
            {"bool": {"must": {"bool": {"must": APPLE, "filter": RED}}, "filter": BLUE}},
            Searched("apple", (IS_RED, IS_BLUE)),
        ),
        (RED, Searched(None, (IS_RED,))),
        ({"match_all": {}}, Searched()),
        ({"bool": {"filter": RED}}, Searched(None, (IS_RED,))),
    ],
)
def test_a_query_is_a_text_and_filters(clause, expected):
    """
    Wherever in bools the text stands.
    """

    assert expected == query(clause, "query", FIELDS)


@pytest.mark.parametrize(
    ("clause", "path"),
    [
        ({"query_string": {"query": "a"}}, "query.query_string"),
        ({"bool": {"must": [APPLE, APPLE]}}, "query.bool.must[1]"),
        ({"bool": {"must": APPLE, "should": APPLE}}, "query.bool.should"),
        ({"bool": {"should": [APPLE, APPLE]}}, "query.bool.should[0].match"),
        ({"bool": {"must": APPLE, "should": [RED]}}, "query.bool.should"),
        ({"bool": {"must": APPLE, "filter": APPLE}}, "query.bool.filter.match"),
        ({"bool": {"must": APPLE, "must_not": APPLE}}, "query.bool.must_not.match"),
        ({"bool": {"should": APPLE, "minimum_should_match": "75%"}},
         "query.bool.minimum_should_match"),
        ({"bool": {"must": APPLE, "_name": "x"}}, "query.bool._name"),
    ],
)  # fmt: skip
def test_what_is_no_query(clause, path):
    """
    A second text, or a clause that would only add to scores.
    """
    with pytest.raises(BadRequest) as caught:
        query(clause, "query", FIELDS)

    assert path == caught.value.field
