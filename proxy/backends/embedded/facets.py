"""Facets over columns, in the shape and with the meaning of Elasticsearch's aggregations.

A document counts once in a bucket however many of its values fall there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias, assert_never

import numpy as np
from numpy.typing import NDArray

from config.problems import problem
from proxy.backends.embedded.columns import Column, Numbers, firsts
from proxy.backends.embedded.fields import Field
from proxy.backends.embedded.text_index import Ordinals
from proxy.errors import BackendRefused
from proxy.model import Facet, HistogramFacet, MetricFacet, RangeFacet, TermsFacet

Aggregation: TypeAlias = Mapping[str, Any]

MOST_BUCKETS: Final = 65_536
"""Of all histograms of a search together: Elasticsearch's `search.max_buckets`."""
COUNTS: Final = ("value_count", "cardinality")
"""The metrics that a field has whose values are no numbers."""


def problems(fields: Mapping[str, Field], facet: Facet) -> list[str]:
    """Why `facet` can't be asked of these fields."""
    name = facet.field
    if name not in fields:
        return [problem("field", "is no field of this index", name, fields)]
    kind, what = fields[name].type, None
    if kind == "text":
        what = "it is text, which is searched; a facet is of a keyword, number or boolean"
    match facet:
        case RangeFacet() | HistogramFacet() if kind != "number":
            what = f"it is {kind}; a range and a histogram are of numbers"
        case RangeFacet(ranges=ranges):
            bounds = (bound for _, *both in ranges for bound in both)
            if any(isinstance(bound, str) for bound in bounds):
                what = "the bounds of its ranges are numbers"
        case HistogramFacet(interval=str(unit)):
            what = f"{unit!r} is a calendar's unit; an embedded index has no dates"
        case HistogramFacet(interval=float() | int() as width) if not 0 < width < np.inf:
            what = f"an interval is a number above 0, not {width}"
        case MetricFacet(metric=metric) if kind != "number" and metric not in COUNTS:
            what = f"it is {kind}, which has no {metric}, only {' and '.join(COUNTS)}"
    return [] if what is None else [f"facet {facet.name}: {name}: {what}"]


def check(fields: Mapping[str, Field], facets: Sequence[Facet]) -> None:
    """Raise BackendRefused for a facet that these fields haven't got."""
    if wrong := [line for facet in facets for line in problems(fields, facet)]:
        raise BackendRefused("; ".join(wrong))


def counted(
    columns: Mapping[str, Column], facets: Sequence[Facet], found: Ordinals, size: int
) -> Mapping[str, Aggregation]:
    """The facets of the documents `found` among `size`, by name. They are checked.

    A histogram that would take more buckets than are left is not in it: how many it has, only its
    values tell.
    """
    among = np.zeros(size, np.bool_)
    among[found] = True
    made: dict[str, Aggregation] = {}
    left = MOST_BUCKETS
    for facet in facets:
        counted = _aggregation(columns[facet.field], facet, among, left)
        if counted is None:
            continue
        made[facet.name] = counted
        left -= len(counted["buckets"]) if isinstance(facet, HistogramFacet) else 0
    return made


def _aggregation(
    column: Column, facet: Facet, among: NDArray[np.bool_], most: int
) -> Aggregation | None:
    held = among[column.owners]
    owners, values = column.owners[held], column.values[held]
    match facet:
        case TermsFacet():
            return _terms(column, owners, values, facet.size)
        case RangeFacet():
            return {"buckets": _ranges(owners, values, facet)}
        case HistogramFacet():
            buckets = _histogram(owners, values, float(facet.interval), most)
            return None if buckets is None else {"buckets": buckets}
        case MetricFacet():
            return _metric(values, facet)
        case _:
            assert_never(facet)


def _terms(column: Column, owners: NDArray[np.int64], values: Numbers, size: int) -> Aggregation:
    keys, counts = np.unique(values[firsts(owners, values)], return_counts=True)
    order = np.lexsort((keys, -counts))[:size]
    shown = zip(keys[order].tolist(), counts[order].tolist(), strict=True)
    return {
        "doc_count_error_upper_bound": 0,
        "sum_other_doc_count": int(counts.sum() - counts[order].sum()),
        "buckets": [{**_key(column, key), "doc_count": count} for key, count in shown],
    }


def _key(column: Column, key: float) -> dict[str, object]:
    match column.type:
        case "keyword":
            return {"key": column.words[int(key)]}
        case "boolean":
            return {"key": key, "key_as_string": "true" if key else "false"}
    return {"key": int(key) if column.whole else key}


def _ranges(
    owners: NDArray[np.int64], values: Numbers, facet: RangeFacet
) -> list[dict[str, object]]:
    """A bucket a range, in order of their bounds."""
    bounds = [
        (-np.inf if low is None else float(low), np.inf if high is None else float(high), key)
        for key, low, high in facet.ranges
    ]
    buckets = []
    for low, high, key in sorted(bounds, key=lambda bound: bound[:2]):
        within = owners[(values >= low) & (values < high)]
        start = {"from": low} if low > -np.inf else {}
        end = {"to": high} if high < np.inf else {}
        name = key or f"{start.get('from', '*')}-{end.get('to', '*')}"
        count = int(np.count_nonzero(np.diff(within)) + min(1, len(within)))
        buckets.append({"key": name, **start, **end, "doc_count": count})
    return buckets


def _histogram(
    owners: NDArray[np.int64], values: Numbers, interval: float, most: int
) -> list[dict[str, object]] | None:
    """A bucket for each interval from the lowest value to the highest, empty ones too; None for
    more than `most`.
    """
    if not len(values):
        return []
    with np.errstate(over="ignore", invalid="ignore"):
        places = np.floor(values / interval)
        low, high = float(places.min()), float(places.max())
    if not high - low < most:  # true of what is beyond a double, too
        return None
    places = (places - low)[firsts(owners, places)].astype(np.int64)
    counts = np.bincount(places, minlength=int(high - low) + 1).tolist()
    return [
        {"key": (low + place) * interval, "doc_count": count} for place, count in enumerate(counts)
    ]


def _metric(values: Numbers, facet: MetricFacet) -> Aggregation:
    """Every value counts, a document's equal numbers too; without any, some metrics are null."""
    count = len(values)
    match facet.metric:
        case "value_count":
            return {"value": count}
        case "cardinality":
            return {"value": len(np.unique(values))}
    total = float(values.sum())
    numbers: dict[str, float | None] = {
        "min": float(values.min()) if count else None,
        "max": float(values.max()) if count else None,
        "avg": total / count if count else None,
        "sum": total,
    }
    if facet.metric == "stats":
        return {"count": count, **numbers}
    return {"value": numbers[facet.metric]}
