"""Tests of config.filters."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from config.filters import Clause, Present, Term, Within
from config.section import Section


class Filtered(Section):
    """A section with mandatory filters."""

    filter: tuple[Clause, ...]


def read(clause: object) -> Clause:
    """The filter as a file would say it."""
    return Filtered.model_validate_json(json.dumps({"filter": [clause]})).filter[0]


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ({"term": {"a": True}}, Term(field="a", values=(True,))),
        ({"terms": {"a": ["x", 2]}}, Term(field="a", values=("x", 2))),
        ({"range": {"a": {"gte": 2020}}}, Within(field="a", gte=2020)),
        ({"range": {"a": {"gt": "b", "lte": "c"}}}, Within(field="a", gt="b", lte="c")),
        ({"exists": {"field": "a"}}, Present(field="a")),
    ],
)
def test_each_filter_of_a_search_request(clause: object, expected: Clause) -> None:
    """
    Each comes to its own section, which can be hashed and given as it is.
    """
    assert expected == read(clause)
    assert hash(expected) == hash(read(clause))
    assert (expected,) == Filtered(filter=(expected,)).filter


@pytest.mark.parametrize(
    ("clause", "place", "said"),
    [
        ({}, (), "none of {term"),
        (3, (), "none of {term"),
        ({"prefix": {"a": "x"}}, (), "none of {term"),
        ({"term": {}}, ("term",), "not about one field"),
        ({"term": 3}, ("term",), "not about one field"),
        ({"term": {"a": 1, "b": 2}}, ("term",), "not about one field"),
        ({"term": {"a": 1}, "range": {"b": {"gt": 1}}}, ("term",), "not about one field"),
        ({"term": {"": 1}}, ("term",), "not about one field"),
        ({"term": {"a": {"value": 1}}}, ("term",), "neither text nor a number"),
        ({"terms": {"a": []}}, ("terms",), "neither {term"),
        ({"terms": {"a": "x"}}, ("terms",), "neither {term"),
        ({"terms": {"a": [None]}}, ("terms",), "neither text nor a number"),
        ({"range": {"a": 1}}, ("range",), "not {range: {field: {gte: value}}}"),
        ({"range": {"a": {}}}, ("range",), "not {range: {field: {gte: value}}}"),
        ({"range": {"a": {"from": 1}}}, ("range",), "no bound 'from'; choices: gte, gt, lte, lt"),
        ({"range": {"a": {"gte": 1, "gt": 2}}}, ("range",), "both gte and gt"),
        ({"range": {"a": {"lte": 1, "lt": 2}}}, ("range",), "both lte and lt"),
        ({"range": {"a": {"lt": True}}}, ("range",), "no order"),
        ({"range": {"a": {"lt": None}}}, ("range",), "neither text nor a number"),
        ({"exists": {"a": "field"}}, ("exists",), "not {exists: {field: name}}"),
        ({"exists": {"field": ""}}, ("exists",), "not {exists: {field: name}}"),
        ({"exists": {"field": "a", "boost": 2}}, ("exists",), "not {exists: {field: name}}"),
    ],
)
def test_another_clause_is_refused(clause: object, place: tuple[str, ...], said: str) -> None:
    """
    A mandatory filter that means something else than it says would leak documents.
    """
    with pytest.raises(ValidationError) as caught:
        read(clause)

    (error,) = caught.value.errors()
    assert ("filter", 0, *place) == error["loc"]
    assert said in error["msg"]
