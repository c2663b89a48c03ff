"""A query: one clause with a text, alone or within `bool`, and filters around it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from proxy.compat import filters
from proxy.compat.filters import Filters
from proxy.compat.shapes import at, clauses, only, pair
from proxy.compat.texts import TEXTS
from proxy.errors import BadRequest


@dataclass(frozen=True, slots=True)
class Searched:
    """What a query looks for: its text, None where it has none, among documents that pass."""

    text: str | None = None
    filters: Filters = ()


def query(value: object, path: str, filterable: Collection[str]) -> Searched:
    """What a query looks for."""
    kind, body = pair(value, path)
    where = at(path, kind)
    if kind in TEXTS:
        return Searched(TEXTS[kind](body, where))
    if kind == "bool":
        return _bool(body, where, filterable)
    if kind in filters.CLAUSES:
        return Searched(None, filters.CLAUSES[kind](body, where, filterable))
    known = (*TEXTS, *filters.CLAUSES)
    raise BadRequest("is no clause that is recognised", field=where, choices=known)


def _bool(body: object, path: str, filterable: Collection[str]) -> Searched:
    given = only(body, path, filters.BOOL)
    parts = [
        (where, query(item, where, filterable)) for where, item in clauses(given, "must", path)
    ]
    demanded = filters.all_under(given, "filter", path, filterable)
    alone = _alone(given, path, filterable)
    if alone is not None:
        parts.append((at(path, "should"), alone))
        filters.minimum(given, path)
        chosen: Filters = ()
    else:
        optional = bool({"must", "filter"} & given.keys())
        chosen = filters.any_under(given, path, filterable, optional=optional)
    excluded = filters.none_under(given, path, filterable)
    inner = tuple(each for _, part in parts for each in part.filters)
    return Searched(_one_text(parts), (*inner, *demanded, *chosen, *excluded))


def _alone(given: Mapping[str, object], path: str, filterable: Collection[str]) -> Searched | None:
    """The text clause that `should` consists of, if that is what it is."""
    optional = list(clauses(given, "should", path))
    if len(optional) != 1:
        return None
    where, item = optional[0]
    kind, _ = pair(item, where)
    if kind not in (*TEXTS, "bool"):
        return None
    part = query(item, where, filterable)
    return None if part.text is None else part


def _one_text(parts: Sequence[tuple[str, Searched]]) -> str | None:
    """The text of the one clause that has any."""
    texts = [(where, part.text) for where, part in parts if part.text is not None]
    if len(texts) > 1:
        raise BadRequest("is a second clause with a text; one is served", field=texts[1][0])
    return texts[0][1] if texts else None
