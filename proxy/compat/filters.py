"""The clauses that decide which documents pass: term, terms, range, exists, and bool of those."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final, TypeAlias

from proxy.compat.shapes import at, clauses, field, listed, only, pair
from proxy.errors import BadRequest
from proxy.model import AllOf, AnyOf, Exists, Filter, Not, Range, Scalar, Terms
from proxy.wire import checks
from proxy.wire.filters import BOUNDS, MAX_TERM, MAX_TERMS

Filters: TypeAlias = tuple[Filter, ...]
"""All of them must pass; none is no condition at all."""
Reader: TypeAlias = Callable[[object, str, Collection[str]], Filters]


def conditions(value: object, path: str, filterable: Collection[str]) -> Filters:
    """What a filter clause demands of a document."""
    kind, body = pair(value, path)
    if kind not in CLAUSES:
        raise BadRequest(
            "is no filter that is recognised", field=at(path, kind), choices=list(CLAUSES)
        )
    return CLAUSES[kind](body, at(path, kind), filterable)


def all_under(
    given: Mapping[str, object], key: str, path: str, filterable: Collection[str]
) -> Filters:
    """What the filters under a key demand together."""
    several = [conditions(item, where, filterable) for where, item in clauses(given, key, path)]
    return tuple(each for filters in several for each in filters)


def none_under(given: Mapping[str, object], path: str, filterable: Collection[str]) -> Filters:
    """What `must_not` demands: none of its clauses passes."""
    demands: list[Filter] = []
    for where, item in clauses(given, "must_not", path):
        unwanted = conditions(item, where, filterable)
        if not unwanted:
            raise BadRequest("would leave no document", field=where)
        demands.append(Not(_joined(unwanted)))
    return tuple(demands)


def any_under(
    given: Mapping[str, object], path: str, filterable: Collection[str], *, optional: bool
) -> Filters:
    """What `should` demands: one of its clauses. Where it is optional it only adds to scores,
    which isn't served, unless `minimum_should_match` demands one.
    """
    choices = [conditions(item, at_, filterable) for at_, item in clauses(given, "should", path)]
    least = minimum(given, path)
    if not choices:
        return ()
    if least == 0 or (least is None and optional):
        raise BadRequest(
            "only adds to scores, which the route's pipelines decide; minimum_should_match: 1 "
            "makes it a filter",
            field=at(path, "should"),
        )
    return (AnyOf(tuple(map(_joined, choices))),) if all(choices) else ()


def minimum(given: Mapping[str, object], path: str) -> int | None:
    """`minimum_should_match`, of which 0 and 1 are recognised."""
    value = given.get("minimum_should_match")
    if value is None:
        return None
    if type(value) not in (int, str) or str(value) not in ("0", "1"):
        raise BadRequest("must be 0 or 1", field=at(path, "minimum_should_match"), value=value)
    return int(str(value))


def _joined(filters: Filters) -> Filter:
    return filters[0] if len(filters) == 1 else AllOf(filters)


def _value(value: object, path: str) -> Scalar:
    return checks.scalar(value, path, MAX_TERM)


def _term(body: object, path: str, filterable: Collection[str]) -> Filters:
    name, said = pair(body, path)
    field(name, at(path, name), filterable)
    where = at(path, name)
    if isinstance(said, dict):
        said, where = only(said, where, ("value", "boost")).get("value"), at(where, "value")
    return (Terms(name, (_value(said, where),)),)


def _terms(body: object, path: str, filterable: Collection[str]) -> Filters:
    given = {key: said for key, said in checks.mapping(body, path).items() if key != "boost"}
    name, said = pair(given, path)
    where = at(path, field(name, at(path, name), filterable))
    if isinstance(said, dict):
        raise BadRequest("looks terms up elsewhere, which is not recognised", field=where)
    values = listed(said, where, MAX_TERMS)
    if not values:
        raise BadRequest("is empty, and would leave no document", field=where)
    return (Terms(name, tuple(_value(each, f"{where}[{n}]") for n, each in enumerate(values))),)


def _range(body: object, path: str, filterable: Collection[str]) -> Filters:
    name, said = pair(body, path)
    where = at(path, field(name, at(path, name), filterable))
    given = only(said, where, (*BOUNDS, "boost"))
    bounds = {
        key: _value(given[key], at(where, key)) for key in BOUNDS if given.get(key) is not None
    }
    if not bounds:
        raise BadRequest("has no bound", field=where, choices=BOUNDS)
    for one, other in (("gte", "gt"), ("lte", "lt")):
        if one in bounds and other in bounds:
            raise BadRequest(f"stands beside {one}", field=at(where, other))
    return (Range(name, *map(bounds.get, BOUNDS)),)


def _exists(body: object, path: str, filterable: Collection[str]) -> Filters:
    given = only(body, path, ("field", "boost"))
    return (Exists(field(given.get("field"), at(path, "field"), filterable)),)


def _bool(body: object, path: str, filterable: Collection[str]) -> Filters:
    given = only(body, path, BOOL)
    must = all_under(given, "must", path, filterable)
    also = all_under(given, "filter", path, filterable)
    optional = bool({"must", "filter"} & given.keys())
    return (
        *must,
        *also,
        *any_under(given, path, filterable, optional=optional),
        *none_under(given, path, filterable),
    )


def _match_all(body: object, path: str, filterable: Collection[str]) -> Filters:
    only(body, path, ("boost",))
    return ()


BOOL: Final = ("must", "filter", "should", "must_not", "minimum_should_match", "boost")
CLAUSES: Final[Mapping[str, Reader]] = {
    "term": _term,
    "terms": _terms,
    "range": _range,
    "exists": _exists,
    "bool": _bool,
    "match_all": _match_all,
}
