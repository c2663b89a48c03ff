"""Documents and vectors by id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import quote

from proxy.backends import Wanted
from proxy.backends.cluster.ids import by_index
from proxy.backends.cluster.requests.filters import clauses
from proxy.backends.cluster.requests.highlights import highlight
from proxy.backends.cluster.requests.target import (
    Engine,
    Json,
    Reach,
    Request,
    mget_request,
    search_request,
)
from proxy.model import Sources

LONGEST: Final = 1_000
"""Longer lists of paths go into the body: engines refuse a request line of more than 4 kB."""

NONE: Final[Json] = {"match_none": {}}


def fetch_body(
    engine: Engine, reach: Reach, ids: Sequence[str], wanted: Wanted, timeout_ms: int
) -> Request:
    """The documents' sources: one `_mget`, or a search by ids where the engine has to look at
    them, to filter or to highlight.
    """
    marked = highlight(engine, wanted)
    if not wanted.filters and marked is None:
        return _mget(reach, ids, wanted.sources)
    among = [_among(reach, ids), *clauses(wanted.filters)]
    body: Json = {
        "query": {"bool": {"filter": among}},
        "size": len(ids),
        "timeout": f"{timeout_ms}ms",
        "track_total_hits": False,
        "_source": _shown(wanted.sources),
    }
    if marked is not None:
        body["highlight"] = marked
    return search_request(reach, body, {"allow_partial_search_results": "true"})


def vectors_body(engine: Engine, reach: Reach, field: str, ids: Sequence[str]) -> Request:
    """The stored vectors, as the sources hold them."""
    # From 9.2 on Elasticsearch leaves vectors out of the sources unless it is told not to.
    hidden = engine.elastic and engine.version >= (9, 2)
    params = {"_source_exclude_vectors": "false"} if hidden else {}
    return _mget(reach, ids, Sources((field,)), params)


def _mget(
    reach: Reach, ids: Sequence[str], sources: Sources, params: Mapping[str, str] | None = None
) -> Request:
    """What is shown stands in the URL once, or, where it can't, with each document."""
    shared = _shared(sources)
    shown: Json = {"_source": _shown(sources)} if shared is None else {}
    places = _places(reach, ids)
    if not places:  # `_mget` refuses to look for nothing
        return search_request(reach, {"query": NONE, "size": 0, "track_total_hits": False}, {})
    named = reach.several or shown
    body: Json = {"docs": [{**place, **shown} for place in places]} if named else {"ids": list(ids)}
    return mget_request(reach, body, {**(shared or {}), **(params or {})})


def _places(reach: Reach, ids: Sequence[str]) -> list[Json]:
    """Where the documents are; a name that can't be one of several indices' is nowhere."""
    if not reach.several:
        return [{"_id": own} for own in ids]
    found = by_index(ids)
    return [{"_index": index, "_id": own} for index in found for own in found[index]]


def _shared(sources: Sources) -> Mapping[str, str] | None:
    """What of sources is shown, as parameters; None where a path holds what separates them."""
    if sources.include == ():
        return {"_source": "false"}
    paths = {"_source_includes": sources.include or (), "_source_excludes": sources.exclude}
    if any("," in path for several in paths.values() for path in several):
        return None
    params = {name: ",".join(several) for name, several in paths.items() if several}
    return params if sum(len(quote(value)) for value in params.values()) <= LONGEST else None


def _shown(sources: Sources) -> object:
    """What of sources is shown, as a body says it."""
    if sources.include is None and not sources.exclude:
        return True
    if sources.include == ():
        return False
    paths = {"includes": sources.include or (), "excludes": sources.exclude}
    return {name: list(several) for name, several in paths.items() if several}


def _among(reach: Reach, ids: Sequence[str]) -> Json:
    """The clause that these documents match and no others."""
    if not reach.several:
        return {"ids": {"values": list(ids)}}
    of_each: list[Json] = [
        {"bool": {"filter": [{"term": {"_index": {"value": index}}}, {"ids": {"values": owned}}]}}
        for index, owned in by_index(ids).items()
    ]
    return {"bool": {"should": of_each, "minimum_should_match": 1}} if of_each else NONE
