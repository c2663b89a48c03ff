"""A search body, recognised or not: from the engine's language to this proxy's nouns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from proxy.compat import caps
from proxy.compat.facets import facets
from proxy.compat.highlights import highlight
from proxy.compat.parameters import CURSORS
from proxy.compat.queries import Searched, query
from proxy.compat.retrievers import joined, knn, retriever
from proxy.compat.shapes import at, clauses, flag, only, pair
from proxy.compat.sources import sources
from proxy.errors import BadRequest
from proxy.model import (
    COUNT_TO,
    Counting,
    Facet,
    Filter,
    Highlight,
    SearchType,
    Sources,
    leaves,
)
from proxy.wire import checks
from proxy.wire.search import DEFAULT_SIZE, MAX_NAME

COUNT_MOST: Final = 1_000_000
"""How far matches are counted for who wants to know exactly."""
MAX_FILTERS: Final = 64
"""Filters of one search that name a field."""
MAX_TIMEOUT: Final = 20
"""Characters of a `timeout`, which has no effect: the route's deadline holds."""
KEYS: Final = (
    "_source", "aggregations", "aggs", "ext", "from", "highlight", "knn", "query", "retriever",
    "size", "sort", "timeout", "track_scores", "track_total_hits",
)  # fmt: skip
REASONS: Final = {
    "pit": CURSORS,
    "search_after": CURSORS,
}
"""Keys that are refused with more to say than that they are not recognised."""
UBI: Final = (
    "application", "client_id", "object_id_field", "query_attributes", "query_id", "session_id",
    "timestamp", "user_query",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Limits:
    """What a route grants: how deep its pages reach, and which fields may be filtered by."""

    window: int
    filterable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recognised:
    """A search that the route's pipelines can answer.

    `counts` says whether the answer tells how many documents match; `user` and `session` are what
    the client calls them; `type` says whether somebody still types.
    """

    text: str
    size: int
    offset: int
    filters: tuple[Filter, ...]
    counting: Counting
    counts: bool
    sources: Sources
    highlight: Highlight | None
    user: str | None
    session: str | None
    type: SearchType = "search"


@dataclass(frozen=True, slots=True)
class Unrecognised:
    """What of a request is not recognised: where it stands, and why."""

    path: str
    reason: str


def recognise(body: object, limits: Limits) -> Recognised | Unrecognised:
    """What a decoded `_search` body asks. Never raises."""
    try:
        return _search(body, limits)
    except BadRequest as exc:
        return unrecognised(exc)


def recognise_count(body: object, limits: Limits) -> Searched | Unrecognised:
    """What a decoded `_count` body asks. Never raises."""
    try:
        caps.bounded(body)
        given = only(body, "", ("query",))
        return _with_text(query(given.get("query"), "query", limits.filterable))
    except BadRequest as exc:
        return unrecognised(exc)


def unrecognised(exc: BadRequest) -> Unrecognised:
    """The value for what a reader raised."""
    choices = f"; recognised: {', '.join(exc.choices)}" if exc.choices else ""
    return Unrecognised(exc.field or "body", exc.message + choices)


def _search(body: object, limits: Limits) -> Recognised:
    caps.bounded(body)
    given = checks.mapping(body)
    for key in REASONS.keys() & given.keys():
        raise BadRequest(REASONS[key], field=key)
    only(given, "", KEYS)
    searched = _with_text(_searched(given, limits))
    size, offset = _page(given, limits.window)
    upto, counts = _count(given.get("track_total_hits"))
    _by_score(given.get("sort"))
    if "track_scores" in given:
        flag(given["track_scores"], "track_scores")
    if "timeout" in given:
        checks.text(given["timeout"], "timeout", MAX_TIMEOUT)
    user, session, kind = _asker(given.get("ext"))
    assert searched.text is not None
    return Recognised(
        searched.text, size, offset, searched.filters,
        Counting(upto, _facets(given, limits)), counts,
        sources(given.get("_source"), "_source"),
        None if given.get("highlight") is None else highlight(given["highlight"], "highlight"),
        user, session, kind,
    )  # fmt: skip


def _searched(given: Mapping[str, object], limits: Limits) -> Searched:
    """What `query`, `knn` beside it, or `retriever` instead of both looks for."""
    if "retriever" in given:
        for key in ("query", "knn"):
            if key in given:
                raise BadRequest("stands beside a retriever", field=key)
        return retriever(given["retriever"], "retriever", limits.filterable)
    parts = []
    if "query" in given:
        parts.append(("query", query(given["query"], "query", limits.filterable)))
    parts += [
        (where, knn(body, where, limits.filterable)) for where, body in clauses(given, "knn", "")
    ]
    return joined(parts)


def _with_text(searched: Searched) -> Searched:
    if searched.text is None:
        raise BadRequest("has no clause with a text, which every pipeline needs", field="query")
    named = sum(1 for each in searched.filters for _ in leaves(each))
    if named > MAX_FILTERS:
        raise BadRequest(f"has {named} filters; {MAX_FILTERS} are allowed", field="query")
    return searched


def _page(given: Mapping[str, object], window: int) -> tuple[int, int]:
    size = checks.whole(given.get("size", min(DEFAULT_SIZE, window)), "size", 0, window)
    offset = checks.whole(given.get("from", 0), "from", 0, window)
    if offset + size > window:
        raise BadRequest(f"from + size is {offset + size}; pages end at {window}", field="from")
    return size, offset


def _count(value: object) -> tuple[int, bool]:
    """How far matches are counted, and whether the answer tells."""
    match value:
        case None:
            return COUNT_TO, True
        case True:
            return COUNT_MOST, True
        case False:
            return COUNT_TO, False
    return checks.whole(value, "track_total_hits", 1, COUNT_MOST), True


def _by_score(value: object) -> None:
    """The one order that is served: by score, best first."""
    several = value if isinstance(value, list) else [] if value is None else [value]
    for index, each in enumerate(several):
        where = f"sort[{index}]"
        if each == "_score":
            continue
        name, said = (each, None) if isinstance(each, str) else pair(each, where)
        order = (
            only(said, at(where, name), ("order",)).get("order", "desc")
            if isinstance(said, dict)
            else said
        )
        if name != "_score" or order != "desc":
            raise BadRequest("is no order that is served: by _score, desc", field=at(where, name))


def _asker(ext: object) -> tuple[str | None, str | None, SearchType]:
    """Who asks, and whether they still type, as a UBI client says it. Its query id is ignored: the
    answer brings one.
    """
    if ext is None:
        return None, None, "search"
    ubi = only(only(ext, "ext", ("ubi",)).get("ubi", {}), "ext.ubi", UBI)
    user, session = (
        None if ubi.get(key) is None else checks.name(ubi[key], f"ext.ubi.{key}", MAX_NAME)
        for key in ("client_id", "session_id")
    )
    return user, session, "typeahead" if ubi.get("application") == "typeahead" else "search"


def _facets(given: Mapping[str, object], limits: Limits) -> tuple[Facet, ...]:
    if "aggs" in given and "aggregations" in given:
        raise BadRequest("stands beside aggs", field="aggregations")
    for key in ("aggs", "aggregations"):
        if key in given:
            return facets(given[key], key, limits.filterable)
    return ()
