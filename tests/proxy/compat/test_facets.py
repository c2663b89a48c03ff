from __future__ import annotations

import pytest

from proxy.compat.facets import facets
from proxy.errors import BadRequest
from proxy.model import HistogramFacet, MetricFacet, RangeFacet, TermsFacet

FIELDS = ("color", "year")
YEAR = {"field": "year"}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"terms": {"field": "color"}}, TermsFacet("a", "color")),
        ({"terms": {"field": "color", "size": 3, "min_doc_count": 1, "order": {"_count": "desc"}}},
         TermsFacet("a", "color", 3)),
        ({"range": {**YEAR, "ranges": [{"to": 5}, {"from": 5, "to": 7.5, "key": "mid"}]}},
         RangeFacet("a", "year", ((None, None, 5.0), ("mid", 5.0, 7.5)))),
        ({"histogram": {**YEAR, "interval": 10}}, HistogramFacet("a", "year", 10.0)),
        ({"date_histogram": {**YEAR, "calendar_interval": "1M"}},
         HistogramFacet("a", "year", "month")),
        ({"date_histogram": {**YEAR, "calendar_interval": "week"}},
         HistogramFacet("a", "year", "week")),
        ({"min": YEAR}, MetricFacet("a", "year", "min")),
        ({"stats": YEAR}, MetricFacet("a", "year", "stats")),
        ({"cardinality": {"field": "color"}}, MetricFacet("a", "color", "cardinality")),
    ],
)  # fmt: skip
def test_an_aggregation_is_read(body, expected):
    """
    Each kind becomes what the backends know.
    """

    assert (expected,) == facets({"a": body}, "aggs", FIELDS)


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "aggs.a"),
        ({"terms": YEAR, "min": YEAR}, "aggs.a"),
        ({"terms": YEAR, "aggs": {}}, "aggs.a.aggs"),
        ({"terms": {"script": "1"}}, "aggs.a.terms.script"),
        ({"terms": {**YEAR, "include": "x.*"}}, "aggs.a.terms.include"),
        ({"terms": {**YEAR, "size": 1001}}, "aggs.a.terms.size"),
        ({"terms": {**YEAR, "order": {"_key": "asc"}}}, "aggs.a.terms.order"),
        ({"terms": {**YEAR, "min_doc_count": True}}, "aggs.a.terms.min_doc_count"),
        ({"terms": {"field": "secret"}}, "aggs.a.terms.field"),
        ({"terms": {}}, "aggs.a.terms.field"),
        ({"range": YEAR}, "aggs.a.range.ranges"),
        ({"range": {**YEAR, "ranges": []}}, "aggs.a.range.ranges"),
        ({"range": {**YEAR, "ranges": [{"mask": "1"}]}}, "aggs.a.range.ranges[0].mask"),
        ({"range": {**YEAR, "ranges": [{"from": "1"}]}}, "aggs.a.range.ranges[0].from"),
        ({"histogram": {**YEAR, "interval": 0}}, "aggs.a.histogram.interval"),
        ({"histogram": {**YEAR, "interval": float("nan")}}, "aggs.a.histogram.interval"),
        ({"histogram": {**YEAR, "interval": 10**400}}, "aggs.a.histogram.interval"),
        ({"histogram": {**YEAR, "interval": True}}, "aggs.a.histogram.interval"),
        ({"date_histogram": {**YEAR, "calendar_interval": "2d"}},
         "aggs.a.date_histogram.calendar_interval"),
        ({"date_histogram": {**YEAR, "fixed_interval": "2d"}},
         "aggs.a.date_histogram.fixed_interval"),
        ({"scripted_metric": {}}, "aggs.a.scripted_metric"),
        ({"top_hits": {}}, "aggs.a.top_hits"),
        ({"min": {**YEAR, "missing": 1}}, "aggs.a.min.missing"),
    ],
)  # fmt: skip
def test_what_is_no_aggregation(body, path):
    """
    The path names it.
    """
    with pytest.raises(BadRequest) as caught:
        facets({"a": body}, "aggs", FIELDS)

    assert path == caught.value.field


@pytest.mark.parametrize(
    "given", [{"": {"min": YEAR}}, {"a>b": {"min": YEAR}}, {"x#y": {"min": YEAR}}, [], 1,
              {f"a{n}": {"min": YEAR} for n in range(17)}],
)  # fmt: skip
def test_names_and_numbers_of_aggregations_are_bounded(given):
    """
    A name stands in the answer, beside its type if a client asks for that.
    """
    with pytest.raises(BadRequest):
        facets(given, "aggs", FIELDS)
