"""The filters of a request: `term`, `terms`, `range` and `exists`, each of one field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from proxy.errors import BadRequest
from proxy.model import Exists, Filter, Range, Scalar, Terms
from proxy.wire import checks

KINDS: Final = ("term", "terms", "range", "exists")
BOUNDS: Final = ("gte", "gt", "lte", "lt")
MAX_FILTERS: Final = 32
MAX_TERMS: Final = 256
"""Values of one `terms` filter."""
MAX_TERM: Final = 1_000
"""Characters of a filter's value."""


def filters(value: object, filterable: Sequence[str]) -> tuple[Filter, ...]:
    """A list of filters on fields that may be filtered by."""
    if not isinstance(value, list):
        raise BadRequest("must be a list of filters", field="filters", value=value)
    if len(value) > MAX_FILTERS:
        raise BadRequest(f"has {len(value)} filters; {MAX_FILTERS} are allowed", field="filters")
    return tuple(_filter(item, f"filters[{i}]", filterable) for i, item in enumerate(value))


def _filter(value: object, where: str, filterable: Sequence[str]) -> Filter:
    """`{term: {field: value}}`, `{terms: {field: [value, ...]}}`, `{range: {field: {gte: value}}}`
    or `{exists: {field: field}}`.
    """
    kind, clause = _pair(value, where)
    checks.choice(kind, where, KINDS)
    where = f"{where}.{kind}"
    key, wanted = _pair(clause, where)
    if kind == "exists":
        checks.choice(key, where, ("field",))
        return Exists(checks.choice(wanted, f"{where}.field", filterable))
    field = checks.choice(key, where, filterable)
    where = f"{where}.{field}"
    match kind:
        case "term":
            return Terms(field, (checks.scalar(wanted, where, MAX_TERM),))
        case "terms":
            return Terms(field, _several(wanted, where))
    return _range(field, wanted, where)


def _several(wanted: object, where: str) -> tuple[Scalar, ...]:
    if not isinstance(wanted, list) or not 0 < len(wanted) <= MAX_TERMS:
        raise BadRequest(f"must be a list of 1 to {MAX_TERMS} values", field=where, value=wanted)
    return tuple(checks.scalar(item, where, MAX_TERM) for item in wanted)


def _range(field: str, wanted: object, where: str) -> Range:
    """One bound or two; null is as good as absent."""
    given = checks.mapping(wanted, where)
    for key in given:
        checks.choice(key, where, BOUNDS)
    bounds = {
        key: _bound(bound, f"{where}.{key}") for key, bound in given.items() if bound is not None
    }
    for one, other in (BOUNDS[:2], BOUNDS[2:]):
        if one in bounds and other in bounds:
            raise BadRequest(f"has both {one} and {other}", field=where, value=wanted)
    if not bounds:
        raise BadRequest("has no bound", field=where, value=wanted, choices=BOUNDS)
    return Range(field, **bounds)


def _bound(value: object, where: str) -> Scalar:
    if isinstance(value, bool):
        raise BadRequest("must be a number or a string", field=where, value=value)
    return checks.scalar(value, where, MAX_TERM)


def _pair(value: object, where: str) -> tuple[str, object]:
    """The one key of an object, and its value."""
    read = checks.mapping(value, where)
    if len(read) != 1:
        raise BadRequest(f"must have one key, not {len(read)}", field=where, value=value)
    return next(iter(read.items()))
