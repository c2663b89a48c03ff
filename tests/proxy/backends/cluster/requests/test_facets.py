"""Facets as aggregations."""

from __future__ import annotations

import doctest
from typing import Any, get_args, get_type_hints

import pytest

from proxy.backends.cluster.requests import facets
from proxy.backends.cluster.requests.facets import aggregation, aggregations
from proxy.model import Facet, HistogramFacet, MetricFacet, RangeFacet, TermsFacet


@pytest.mark.parametrize(
    ("facet", "expected"),
    [
        (TermsFacet("f", "course", 5), {"terms": {"field": "course", "size": 5}}),
        (RangeFacet("f", "year", ((None, None, 2000), ("new", 2000, None))), {
            "range": {"field": "year", "ranges": [{"to": 2000}, {"key": "new", "from": 2000}]},
        }),
        (RangeFacet("f", "at", (("old", None, "2024-01-01"),)), {
            "date_range": {"field": "at", "ranges": [{"key": "old", "to": "2024-01-01"}]},
        }),
        (HistogramFacet("f", "year", 10), {"histogram": {"field": "year", "interval": 10}}),
        (HistogramFacet("f", "at", "1M"), {
            "date_histogram": {"field": "at", "calendar_interval": "1M"},
        }),
        (HistogramFacet("f", "at", "12h"), {
            "date_histogram": {"field": "at", "fixed_interval": "12h"},
        }),
    ],
)  # fmt: skip
def test_each_facet_is_an_aggregation(facet: Facet, expected: dict[str, Any]) -> None:
    """
    Bounds that are dates are told from numbers, and the calendar's units from fixed lengths.
    """
    assert expected == aggregation(facet)


@pytest.mark.parametrize("metric", get_args(get_type_hints(MetricFacet)["metric"]))
def test_each_metric_is_called_as_the_engines_call_it(metric: Any) -> None:
    """
    Its name is the aggregation's.
    """
    assert {metric: {"field": "year"}} == aggregation(MetricFacet("f", "year", metric))


def test_facets_keep_their_names() -> None:
    """
    They are answered by name.
    """
    asked = aggregations([TermsFacet("courses", "course"), MetricFacet("last", "year", "max")])

    assert ["courses", "last"] == list(asked)


def test_its_examples_hold() -> None:
    """
    What the docstrings show is what happens.
    """
    assert 0 == doctest.testmod(facets).failed
