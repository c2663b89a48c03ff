"""Filters as clauses."""

from __future__ import annotations

import doctest
from typing import Any

import pytest

from proxy.backends.cluster.requests import filters
from proxy.backends.cluster.requests.filters import clause, clauses, within
from proxy.model import AllOf, AnyOf, Exists, Filter, Not, Range, Terms

DRAFT, YEAR = Terms("section", ("draft",)), Range("year", gte=2020)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (DRAFT, {"term": {"section": {"value": "draft"}}}),
        (Terms("open", (True,)), {"term": {"open": {"value": True}}}),
        (Terms("year", (1, 2.5)), {"terms": {"year": [1, 2.5]}}),
        (Terms("year", ()), {"terms": {"year": []}}),
        (YEAR, {"range": {"year": {"gte": 2020}}}),
        (Range("year", gt=0, lt="2024-01-01"), {"range": {"year": {"gt": 0, "lt": "2024-01-01"}}}),
        (Range("year", lte=0), {"range": {"year": {"lte": 0}}}),
        (Exists("title"), {"exists": {"field": "title"}}),
        (Not(DRAFT), {"bool": {"must_not": [clause(DRAFT)]}}),
        (AnyOf((DRAFT, YEAR)), {
            "bool": {"should": [clause(DRAFT), clause(YEAR)], "minimum_should_match": 1},
        }),
        (AllOf((DRAFT, YEAR)), {"bool": {"filter": [clause(DRAFT), clause(YEAR)]}}),
        (AnyOf(()), {"match_none": {}}),
        (AllOf(()), {"match_all": {}}),
        (Not(AnyOf((AllOf((DRAFT,)),))), {"bool": {"must_not": [
            {"bool": {"should": [{"bool": {"filter": [clause(DRAFT)]}}], "minimum_should_match": 1}}
        ]}}),
    ],
)  # fmt: skip
def test_each_filter_is_a_clause(given: Filter, expected: dict[str, Any]) -> None:
    """
    One of none matches nothing, and all of none matches everything.
    """
    assert expected == clause(given)


def test_filters_do_not_score() -> None:
    """
    They stand beside what does; without any, nothing is wrapped.
    """
    query = {"match": {"title": "disk"}}

    assert query == within(query, [])
    assert {"bool": {"must": [query], "filter": clauses([DRAFT])}} == within(
        query, clauses([DRAFT])
    )


def test_its_examples_hold() -> None:
    """
    What the docstrings show is what happens.
    """
    assert 0 == doctest.testmod(filters).failed
