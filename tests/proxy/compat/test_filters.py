from __future__ import annotations

import pytest

from proxy.compat.filters import conditions
from proxy.errors import BadRequest
from proxy.model import AllOf, AnyOf, Exists, Not, Range, Terms

FIELDS = ("color", "year")
RED, BLUE = {"term": {"color": "red"}}, {"term": {"color": "blue"}}
IS_RED, IS_BLUE = Terms("color", ("red",)), Terms("color", ("blue",))


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        (RED, (IS_RED,)),
        ({"term": {"color": {"value": "red", "boost": 2}}}, (IS_RED,)),
        ({"term": {"year": 2001}}, (Terms("year", (2001,)),)),
        ({"terms": {"color": ["red", "blue"]}}, (Terms("color", ("red", "blue")),)),
        ({"terms": {"color": ["red"], "boost": 1}}, (IS_RED,)),
        ({"range": {"year": {"gte": 1, "lt": 9}}}, (Range("year", gte=1, lt=9),)),
        ({"range": {"year": {"gt": "2020-01-01", "lte": None}}}, (Range("year", gt="2020-01-01"),)),
        ({"exists": {"field": "year"}}, (Exists("year"),)),
        ({"match_all": {}}, ()),
        ({"bool": {}}, ()),
        ({"bool": {"filter": RED}}, (IS_RED,)),
        ({"bool": {"must": [RED], "filter": [BLUE]}}, (IS_RED, IS_BLUE)),
        ({"bool": {"must_not": [RED, BLUE]}}, (Not(IS_RED), Not(IS_BLUE))),
        (
            {"bool": {"must_not": {"bool": {"filter": [RED, BLUE]}}}},
            (Not(AllOf((IS_RED, IS_BLUE))),),
        ),
        ({"bool": {"should": [RED, BLUE]}}, (AnyOf((IS_RED, IS_BLUE)),)),
        ({"bool": {"should": RED, "minimum_should_match": 1}}, (AnyOf((IS_RED,)),)),
        (
            {"bool": {"filter": RED, "should": [BLUE], "minimum_should_match": "1"}},
            (IS_RED, AnyOf((IS_BLUE,))),
        ),
        ({"bool": {"should": [RED, {"match_all": {}}]}}, ()),
        (
            {"bool": {"should": [RED, {"bool": {"filter": [RED, BLUE]}}]}},
            (AnyOf((IS_RED, AllOf((IS_RED, IS_BLUE)))),),
        ),
    ],
)  # fmt: skip
def test_a_filter_is_read(clause, expected):
    """
    Each shape becomes what the backends know.
    """

    assert expected == conditions(clause, "f", FIELDS)


@pytest.mark.parametrize(
    ("clause", "path"),
    [
        ("red", "f"),
        ({}, "f"),
        ({"term": {"color": "red"}, "exists": {}}, "f"),
        ({"prefix": {"color": "r"}}, "f.prefix"),
        ({"match": {"color": "red"}}, "f.match"),
        ({"term": {"secret": 1}}, "f.term.secret"),
        ({"term": {"color": None}}, "f.term.color"),
        ({"term": {"color": ["red"]}}, "f.term.color"),
        ({"term": {"color": {"value": "r", "case_insensitive": True}}},
         "f.term.color.case_insensitive"),
        ({"term": {"color": {}}}, "f.term.color.value"),
        ({"term": {"color": "r", "year": 1}}, "f.term"),
        ({"terms": {"color": []}}, "f.terms.color"),
        ({"terms": {"color": "red"}}, "f.terms.color"),
        ({"terms": {"color": ["red", None]}}, "f.terms.color[1]"),
        ({"terms": {"color": ["x"] * 257}}, "f.terms.color"),
        ({"terms": {"color": {"index": "i", "id": "1", "path": "p"}}}, "f.terms.color"),
        ({"range": {"year": {}}}, "f.range.year"),
        ({"range": {"year": {"gte": 1, "gt": 1}}}, "f.range.year.gt"),
        ({"range": {"year": {"gte": [1]}}}, "f.range.year.gte"),
        ({"range": {"year": {"gte": 1, "format": "yyyy"}}}, "f.range.year.format"),
        ({"exists": {"field": "secret"}}, "f.exists.field"),
        ({"exists": {"field": "*"}}, "f.exists.field"),
        ({"exists": {}}, "f.exists.field"),
        ({"match_all": {"_name": "n"}}, "f.match_all._name"),
        ({"bool": {"must_not": {"match_all": {}}}}, "f.bool.must_not"),
        ({"bool": {"filter": RED, "should": BLUE}}, "f.bool.should"),
        ({"bool": {"should": BLUE, "minimum_should_match": 0}}, "f.bool.should"),
        ({"bool": {"should": [RED, BLUE], "minimum_should_match": 2}},
         "f.bool.minimum_should_match"),
        ({"bool": {"should": [RED], "minimum_should_match": True}},
         "f.bool.minimum_should_match"),
        ({"bool": {"filter": [RED, {"script": {}}]}}, "f.bool.filter[1].script"),
    ],
)  # fmt: skip
def test_what_is_no_filter(clause, path):
    """
    The path names it.
    """
    with pytest.raises(BadRequest) as caught:
        conditions(clause, "f", FIELDS)

    assert path == caught.value.field
