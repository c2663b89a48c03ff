from __future__ import annotations

from typing import Any

import pytest

from proxy.errors import BadRequest
from proxy.model import TermsFacet
from proxy.wire.facets import Value, facets, told

FILTERABLE = ("color", "year")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], ()),
        ({}, ()),
        (["year", "color"], (TermsFacet("year", "year"), TermsFacet("color", "color"))),
        ({"color": {}}, (TermsFacet("color", "color"),)),
        (
            {"few": {"field": "color", "size": 2}, "many": {"field": "color", "size": 200}},
            (TermsFacet("few", "color", 2), TermsFacet("many", "color", 200)),
        ),
    ],
)
def test_a_list_of_fields_or_facets_by_name(given: Any, expected: tuple[TermsFacet, ...]):
    """
    Ten values unless it says otherwise; a name alone is a field's.
    """
    assert expected == facets(given, FILTERABLE)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ("color", "facets"),
        (True, "facets"),
        (["color"] * 17, "facets"),
        (["color", "color"], "facets[1]"),
        (["color", "price"], "facets[1]"),
        ([["color"]], "facets[0]"),
        ({f"f{i}": {"field": "color"} for i in range(17)}, "facets"),
        ({"": {"field": "color"}}, "facets"),
        ({"n" * 201: {"field": "color"}}, "facets"),
        ({"a>b": {"field": "color"}}, "facets"),
        ({"price": {}}, "facets.price.field"),
        ({"f": {"field": "price"}}, "facets.f.field"),
        ({"f": "color"}, "facets.f"),
        ({"f": {"field": "color", "order": "asc"}}, "facets.f"),
        ({"f": {"field": "color", "size": 0}}, "facets.f.size"),
        ({"f": {"field": "color", "size": 201}}, "facets.f.size"),
        ({"f": {"field": "color", "size": 1.0}}, "facets.f.size"),
    ],
)
def test_what_is_wrong_is_named(given: object, field: str):
    """
    Fields that may not be filtered by are not counted either.
    """
    with pytest.raises(BadRequest) as caught:
        facets(given, FILTERABLE)

    assert field == caught.value.field


def test_values_are_told_as_they_are_filtered_by():
    """
    Booleans and dates have numbers for keys; the order is the engine's.
    """
    aggregations = (
        b'{"color": {"doc_count_error_upper_bound": 0, "sum_other_doc_count": 4, "buckets": '
        b'[{"key": "red", "doc_count": 2}, {"key": "a", "doc_count": 1}]}, '
        b'"free": {"buckets": [{"key": 0, "key_as_string": "false", "doc_count": 3}]}, '
        b'"day": {"buckets": [{"key": 0, "key_as_string": "1970-01-01", "doc_count": 1}]}, '
        b'"year": {"buckets": [{"key": 2024, "doc_count": 1}, {"key": 1.5, "doc_count": 1}]}}'
    )

    assert {
        "color": [Value("red", 2), Value("a", 1)],
        "free": [Value(False, 3)],
        "day": [Value("1970-01-01", 1)],
        "year": [Value(2024, 1), Value(1.5, 1)],
    } == told(aggregations)
