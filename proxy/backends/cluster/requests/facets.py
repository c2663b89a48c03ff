"""Facets as aggregations; both engines read the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from proxy.backends.cluster.requests.target import Json
from proxy.model import Facet, HistogramFacet, MetricFacet, RangeFacet, TermsFacet

CALENDAR: Final = frozenset({
    "minute", "hour", "day", "week", "month", "quarter", "year",
    "1m", "1h", "1d", "1w", "1M", "1q", "1y",
})  # fmt: skip
"""The units whose length the calendar decides; another text is a fixed length such as `12h`."""


def aggregations(facets: Iterable[Facet]) -> Json:
    """An aggregation for each facet, by its name."""
    return {facet.name: aggregation(facet) for facet in facets}


def aggregation(facet: Facet) -> Json:
    """The aggregation that computes the facet.

    >>> aggregation(HistogramFacet("by month", "at", "month"))
    {'date_histogram': {'field': 'at', 'calendar_interval': 'month'}}
    """
    match facet:
        case TermsFacet(_, field, size):
            return {"terms": {"field": field, "size": size}}
        case RangeFacet(_, field, ranges):
            dates = any(isinstance(bound, str) for _, *bounds in ranges for bound in bounds)
            kind = "date_range" if dates else "range"
            return {kind: {"field": field, "ranges": [_bucket(*each) for each in ranges]}}
        case HistogramFacet(_, field, str(unit)):
            how = "calendar_interval" if unit in CALENDAR else "fixed_interval"
            return {"date_histogram": {"field": field, how: unit}}
        case HistogramFacet(_, field, width):
            return {"histogram": {"field": field, "interval": width}}
        case MetricFacet(_, field, metric):
            return {metric: {"field": field}}


def _bucket(key: str | None, start: float | str | None, below: float | str | None) -> Json:
    """One range; what is None is left out, because that end is open."""
    parts = {"key": key, "from": start, "to": below}
    return {name: value for name, value in parts.items() if value is not None}
