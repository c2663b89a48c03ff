"""Aggregations, one level of them, over fields that callers may filter by."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from math import isfinite
from typing import Final, Literal, TypeAlias, get_args

from proxy.compat.shapes import at, field, listed, only
from proxy.errors import BadRequest
from proxy.model import Facet, HistogramFacet, MetricFacet, RangeFacet, TermsFacet
from proxy.wire import checks
from proxy.wire.facets import MAX_FACETS

Reader: TypeAlias = Callable[[str, object, str, Collection[str]], Facet]
Metric: TypeAlias = Literal["min", "max", "avg", "sum", "value_count", "cardinality", "stats"]

MAX_BUCKETS: Final = 1_000
"""Buckets that a terms aggregation may ask for."""
MAX_RANGES: Final = 64
MAX_FACET_NAME: Final = 100
UNITS: Final = {
    "1m": "minute", "1h": "hour", "1d": "day", "1w": "week", "1M": "month", "1q": "quarter",
    "1y": "year",
}  # fmt: skip
"""Calendar intervals, short to long."""


def facets(value: object, path: str, filterable: Collection[str]) -> tuple[Facet, ...]:
    """The aggregations of a search."""
    given = checks.mapping(value, path)
    if len(given) > MAX_FACETS:
        raise BadRequest(f"has {len(given)} aggregations; {MAX_FACETS} are allowed", field=path)
    return tuple(_facet(name, body, at(path, name), filterable) for name, body in given.items())


def _facet(name: str, value: object, path: str, filterable: Collection[str]) -> Facet:
    checks.name(name, path, MAX_FACET_NAME)
    if any(char in "[]>#" for char in name):
        raise BadRequest("is no name of an aggregation: it holds one of [ ] > #", field=path)
    given = only(value, path, KINDS)
    if len(given) != 1:
        raise BadRequest("must be of one kind", field=path, choices=list(KINDS))
    ((kind, body),) = given.items()
    return KINDS[kind](name, body, at(path, kind), filterable)


def _terms(name: str, body: object, path: str, filterable: Collection[str]) -> Facet:
    given = only(body, path, ("field", "size", "shard_size", "min_doc_count", "order"))
    _is(given, path, "min_doc_count", (1,))
    _is(given, path, "order", ({"_count": "desc"}, [{"_count": "desc"}]))
    size = checks.whole(given.get("size", 10), at(path, "size"), 1, MAX_BUCKETS)
    return TermsFacet(name, _field(given, path, filterable), size)


def _range(name: str, body: object, path: str, filterable: Collection[str]) -> Facet:
    given = only(body, path, ("field", "ranges", "keyed"))
    _is(given, path, "keyed", (False,))
    where = at(path, "ranges")
    ranges = listed(given.get("ranges"), where, MAX_RANGES)
    if not ranges:
        raise BadRequest("is empty", field=where)
    read = tuple(_bounds(each, f"{where}[{n}]") for n, each in enumerate(ranges))
    return RangeFacet(name, _field(given, path, filterable), read)


def _bounds(value: object, path: str) -> tuple[str | None, float | None, float | None]:
    given = only(value, path, ("key", "from", "to"))
    key = given.get("key")
    bounds = [
        None if given.get(end) is None else _number(given[end], at(path, end))
        for end in ("from", "to")
    ]
    named = None if key is None else checks.name(key, at(path, "key"), MAX_FACET_NAME)
    return named, bounds[0], bounds[1]


def _histogram(name: str, body: object, path: str, filterable: Collection[str]) -> Facet:
    given = only(body, path, ("field", "interval", "keyed", "min_doc_count"))
    _is(given, path, "keyed", (False,))
    _is(given, path, "min_doc_count", (0,))
    interval = _number(given.get("interval"), at(path, "interval"))
    if interval <= 0:
        raise BadRequest("must be above 0", field=at(path, "interval"), value=interval)
    return HistogramFacet(name, _field(given, path, filterable), interval)


def _dates(name: str, body: object, path: str, filterable: Collection[str]) -> Facet:
    given = only(body, path, ("field", "calendar_interval", "keyed", "min_doc_count"))
    _is(given, path, "keyed", (False,))
    _is(given, path, "min_doc_count", (0,))
    unit, where = given.get("calendar_interval"), at(path, "calendar_interval")
    unit = UNITS.get(unit, unit) if isinstance(unit, str) else unit
    interval = checks.choice(unit, where, tuple(UNITS.values()))
    return HistogramFacet(name, _field(given, path, filterable), interval)


def _metric(metric: Metric) -> Reader:
    def read(name: str, body: object, path: str, filterable: Collection[str]) -> Facet:
        return MetricFacet(name, _field(only(body, path, ("field",)), path, filterable), metric)

    return read


def _field(given: Mapping[str, object], path: str, filterable: Collection[str]) -> str:
    return field(given.get("field"), at(path, "field"), filterable)


def _is(given: Mapping[str, object], path: str, key: str, allowed: tuple[object, ...]) -> None:
    """An option that may be said, but not changed."""
    if key in given and not any(
        type(given[key]) is type(each) and given[key] == each for each in allowed
    ):
        raise BadRequest(f"can only be {allowed[0]!r} here", field=at(path, key))


def _number(value: object, path: str) -> float:
    number = checks.scalar(value, path, MAX_FACET_NAME)
    if isinstance(number, str | bool) or not isfinite(number):
        raise BadRequest("must be a finite number", field=path, value=value)
    return float(number)


KINDS: Final[Mapping[str, Reader]] = {
    "terms": _terms,
    "range": _range,
    "histogram": _histogram,
    "date_histogram": _dates,
    **{metric: _metric(metric) for metric in get_args(Metric)},
}
