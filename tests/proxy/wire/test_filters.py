from __future__ import annotations

from typing import Any

import pytest

from proxy.errors import BadRequest
from proxy.model import Exists, Filter, Range, Terms
from proxy.wire.filters import KINDS, filters

FILTERABLE = ("color", "year")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"term": {"color": "red"}}, Terms("color", ("red",))),
        ({"terms": {"year": [2001, 2002.5, True]}}, Terms("year", (2001, 2002.5, True))),
        ({"range": {"year": {"gte": 2001}}}, Range("year", gte=2001)),
        ({"range": {"year": {"gt": 1.5, "lte": 3}}}, Range("year", gt=1.5, lte=3)),
        ({"range": {"color": {"gte": "a", "lt": "b"}}}, Range("color", gte="a", lt="b")),
        ({"range": {"year": {"gte": None, "lt": 0}}}, Range("year", lt=0)),
        ({"exists": {"field": "year"}}, Exists("year")),
    ],
)
def test_each_kind_is_a_noun(given: dict[str, Any], expected: Filter):
    """
    A bound that is null is as good as absent.
    """
    assert (expected,) == filters([given], FILTERABLE)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ("color", "filters[0]"),
        ({}, "filters[0]"),
        ({"prefix": {"color": "r"}}, "filters[0]"),
        ({"term": {"color": "a"}, "terms": {}}, "filters[0]"),
        ({"term": {"price": 1}}, "filters[0].term"),
        ({"term": {"color": None}}, "filters[0].term.color"),
        ({"term": {"color": ["a"]}}, "filters[0].term.color"),
        ({"term": {"color": "a" * 1001}}, "filters[0].term.color"),
        ({"terms": {"color": "a"}}, "filters[0].terms.color"),
        ({"terms": {"color": []}}, "filters[0].terms.color"),
        ({"terms": {"color": ["a"] * 257}}, "filters[0].terms.color"),
        ({"range": {"price": {"gte": 1}}}, "filters[0].range"),
        ({"range": {"year": 1}}, "filters[0].range.year"),
        ({"range": {"year": {}}}, "filters[0].range.year"),
        ({"range": {"year": {"gte": None}}}, "filters[0].range.year"),
        ({"range": {"year": {"from": 1}}}, "filters[0].range.year"),
        ({"range": {"year": {"gte": 1, "gt": 1}}}, "filters[0].range.year"),
        ({"range": {"year": {"lt": 1, "lte": 1}}}, "filters[0].range.year"),
        ({"range": {"year": {"gte": True}}}, "filters[0].range.year.gte"),
        ({"range": {"year": {"lt": [1]}}}, "filters[0].range.year.lt"),
        ({"range": {"color": {"lt": "a" * 1001}}}, "filters[0].range.color.lt"),
        ({"exists": {"field": "price"}}, "filters[0].exists.field"),
        ({"exists": {"field": ["year"]}}, "filters[0].exists.field"),
        ({"exists": {"year": True}}, "filters[0].exists"),
        ({"exists": "year"}, "filters[0].exists"),
    ],
)
def test_what_is_wrong_is_named(given: object, field: str):
    """
    By its path within the request.
    """
    with pytest.raises(BadRequest) as caught:
        filters([given], FILTERABLE)

    assert field == caught.value.field


@pytest.mark.parametrize(
    ("given", "choices"),
    [
        ({"match": {"color": "x"}}, KINDS),
        ({"range": {"price": {}}}, FILTERABLE),
        ({"range": {"year": {"from": 1}}}, ("gte", "gt", "lte", "lt")),
        ({"exists": {"year": 1}}, ("field",)),
    ],
)
def test_choices_are_named(given: object, choices: tuple[str, ...]):
    """
    Who asks for what there isn't learns what there is.
    """
    with pytest.raises(BadRequest) as caught:
        filters([given], FILTERABLE)

    assert choices == caught.value.choices


@pytest.mark.parametrize("value", [{}, "a", [{"exists": {"field": "year"}}] * 33])
def test_filters_are_a_short_list(value: object):
    """
    At most 32.
    """
    with pytest.raises(BadRequest) as caught:
        filters(value, FILTERABLE)

    assert "filters" == caught.value.field
