"""Facets: Elasticsearch's buckets and numbers over a few documents, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.backends.embedded.columns import made
from proxy.backends.embedded.facets import check, counted, problems
from proxy.backends.embedded.fields import Field
from proxy.errors import BackendRefused
from proxy.model import Facet, HistogramFacet, MetricFacet, RangeFacet, TermsFacet

FIELDS = {
    "text": Field("text"),
    "course": Field("keyword"),
    "year": Field("number"),
    "price": Field("number"),
    "free": Field("boolean"),
}
HELD: dict[str, list[list[Any]]] = {
    "course": [["ml", "de"], ["ml"], ["de"], [], ["ai", "ai"], ["never"]],
    "year": [[2020, 2020], [2021], [2020, 2024], [], [2024], [1]],
    "price": [[0.5], [-0.5, 1.5], [10], [1.25], [], [99]],
    "free": [[True], [False], [True], [True, False], [], [True]],
}
COLUMNS = {name: made(FIELDS[name], held) for name, held in HELD.items()}
FOUND = np.arange(5)
"""All but the last."""


def facet(asked: Facet) -> Any:
    """What is answered to the facet."""
    return json.loads(msgspec.json.encode(counted(COLUMNS, [asked], FOUND, 6)))[asked.name]


@pytest.mark.parametrize(
    ("field", "size", "buckets", "others"),
    [
        ("course", 10, [("de", 2), ("ml", 2), ("ai", 1)], 0),
        ("course", 1, [("de", 2)], 3),
        ("year", 10, [(2020, 2), (2024, 2), (2021, 1)], 0),
        ("price", 2, [(-0.5, 1), (0.5, 1)], 3),
        ("free", 10, [(1, 3), (0, 2)], 0),
    ],
)
def test_terms_are_the_most_frequent_values(
    field: str, size: int, buckets: list[tuple[object, int]], others: int
) -> None:
    """
    By count, then by key; a document counts once a value.
    """
    found = facet(TermsFacet("f", field, size))

    assert buckets == [(bucket["key"], bucket["doc_count"]) for bucket in found["buckets"]]
    assert (0, others) == (found["doc_count_error_upper_bound"], found["sum_other_doc_count"])


def test_a_boolean_s_keys_are_told_as_engines_do() -> None:
    """
    1 and 0, and true and false as strings.
    """
    assert [
        {"key": 1, "key_as_string": "true", "doc_count": 3},
        {"key": 0, "key_as_string": "false", "doc_count": 2},
    ] == facet(TermsFacet("f", "free"))["buckets"]


def test_ranges_hold_their_lower_bound_only() -> None:
    """
    In order of their bounds; what has no name is called by them.
    """
    asked = RangeFacet(
        "f", "price", (("dear", 1.5, None), (None, None, 0.5), (None, -1, 1.5), (None, 70, 80))
    )

    assert [
        {"key": "*-0.5", "to": 0.5, "doc_count": 1},
        {"key": "-1.0-1.5", "from": -1.0, "to": 1.5, "doc_count": 3},
        {"key": "dear", "from": 1.5, "doc_count": 2},
        {"key": "70.0-80.0", "from": 70.0, "to": 80.0, "doc_count": 0},
    ] == facet(asked)["buckets"]


def test_a_document_is_once_in_a_range_and_in_an_interval() -> None:
    """
    Two values of the same interval count once, of two intervals twice; gaps are shown.
    """
    years = RangeFacet("f", "year", tuple((None, y, y + 1) for y in (2020, 2021, 2022, 2024)))

    assert [2, 1, 0, 2] == [bucket["doc_count"] for bucket in facet(years)["buckets"]]
    assert [(2020, 3), (2022, 0), (2024, 2)] == [
        (bucket["key"], bucket["doc_count"])
        for bucket in facet(HistogramFacet("f", "year", 2))["buckets"]
    ]
    assert [(-0.5, 1), (0.0, 0), (0.5, 1), (1.0, 1), (1.5, 1)] == [
        (bucket["key"], bucket["doc_count"])
        for bucket in facet(HistogramFacet("f", "price", 0.5))["buckets"][:5]
    ]


@pytest.mark.parametrize(
    ("field", "metric", "expected"),
    [
        ("price", "min", {"value": -0.5}),
        ("price", "max", {"value": 10.0}),
        ("year", "sum", {"value": 12129.0}),
        ("year", "avg", {"value": 2021.5}),
        ("year", "value_count", {"value": 6}),
        ("year", "cardinality", {"value": 3}),
        ("course", "value_count", {"value": 5}),
        ("course", "cardinality", {"value": 3}),
        ("free", "cardinality", {"value": 2}),
        (
            "price",
            "stats",
            {"count": 5, "min": -0.5, "max": 10.0, "avg": 2.55, "sum": 12.75},
        ),
    ],
)  # fmt: skip
def test_metrics_are_over_all_values(field: str, metric: Any, expected: object) -> None:
    """
    A document's equal numbers count each, equal keywords once.
    """
    assert expected == facet(MetricFacet("f", field, metric))


def test_nothing_found_has_facets_too() -> None:
    """
    Empty buckets, zeros, and null where there is no number.
    """
    asked = [
        TermsFacet("terms", "course"),
        RangeFacet("ranges", "year", ((None, 1, None),)),
        HistogramFacet("histogram", "year", 5),
        MetricFacet("stats", "year", "stats"),
        MetricFacet("min", "year", "min"),
        MetricFacet("sum", "year", "sum"),
    ]

    assert {
        "terms": {"doc_count_error_upper_bound": 0, "sum_other_doc_count": 0, "buckets": []},
        "ranges": {"buckets": [{"key": "1.0-*", "from": 1.0, "doc_count": 0}]},
        "histogram": {"buckets": []},
        "stats": {"count": 0, "min": None, "max": None, "avg": None, "sum": 0.0},
        "min": {"value": None},
        "sum": {"value": 0.0},
    } == json.loads(msgspec.json.encode(counted(COLUMNS, asked, np.array([], np.int64), 6)))


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (TermsFacet("f", "course"), None),
        (MetricFacet("f", "course", "cardinality"), None),
        (HistogramFacet("f", "year", 5), None),
        (TermsFacet("f", "coarse"), "did you mean course?"),
        (TermsFacet("f", "text"), "facet f: text: it is text"),
        (MetricFacet("f", "text", "value_count"), "it is text"),
        (MetricFacet("f", "free", "avg"), "it is boolean, which has no avg"),
        (RangeFacet("f", "course", ((None, 1, 2),)), "it is keyword; a range"),
        (RangeFacet("f", "year", ((None, "now-1d", None),)), "are numbers"),
        (HistogramFacet("f", "free", 1), "it is boolean"),
        (HistogramFacet("f", "year", "month"), "'month' is a calendar's unit"),
        (HistogramFacet("f", "year", 0), "a number above 0, not 0"),
        (HistogramFacet("f", "year", float("nan")), "a number above 0, not nan"),
    ],
)
def test_what_a_field_has_no_facet_of(asked: Facet, expected: str | None) -> None:
    """
    Text, calendars and ranges of words are refused before anything is counted.
    """
    found = problems(FIELDS, asked)

    assert (expected is None) is (not found)
    if expected is not None:
        assert expected in found[0]
        with pytest.raises(BackendRefused):
            check(FIELDS, [asked])


def test_a_histogram_has_an_end() -> None:
    """
    As many buckets as Elasticsearch allows; with more it is left out.
    """
    for interval in (0.00001, 1e-320):
        assert {} == counted(COLUMNS, [HistogramFacet("f", "year", interval)], FOUND, 6)


numbers = st.lists(st.integers(-3, 3) | st.sampled_from([0.5, -2.25]), max_size=4)


@given(st.lists(numbers, min_size=1, max_size=8), st.data())
def test_facets_are_what_counting_one_by_one_gives(held: list[list[float]], data: Any) -> None:
    """
    Terms, ranges and histograms of random documents.
    """
    found = [at for at in range(len(held)) if data.draw(st.booleans())]
    column = made(Field("number"), held)
    low, high = sorted(data.draw(st.tuples(st.integers(-4, 4), st.integers(-4, 4))))
    asked: list[Facet] = [
        TermsFacet("terms", "n", 100),
        RangeFacet("range", "n", ((None, low, high),)),
        HistogramFacet("histogram", "n", 2),
    ]

    got = json.loads(
        msgspec.json.encode(counted({"n": column}, asked, np.array(found, np.int64), len(held)))
    )

    sets = [set(held[at]) for at in found]
    places = [{value // 2 * 2 for value in held[at]} for at in found]
    assert {value: sum(value in s for s in sets) for s in sets for value in s} == {
        bucket["key"]: bucket["doc_count"] for bucket in got["terms"]["buckets"]
    }
    assert (
        sum(any(low <= value < high for value in s) for s in sets)
        == (got["range"]["buckets"][0]["doc_count"])
    )
    assert {value: sum(value in s for s in places) for s in places for value in s} == {
        bucket["key"]: bucket["doc_count"]
        for bucket in got["histogram"]["buckets"]
        if bucket["doc_count"]
    }


def test_histograms_share_the_buckets_that_there_may_be() -> None:
    """
    One that would take more than are left is not in it, and the others are.
    """
    asked = [
        HistogramFacet("many", "year", 1e-9), HistogramFacet("years", "year", 1.0),
        TermsFacet("terms", "year"),
    ]  # fmt: skip

    assert {"years", "terms"} == counted(COLUMNS, asked, FOUND, 6).keys()
