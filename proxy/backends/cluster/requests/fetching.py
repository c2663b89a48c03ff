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
PARTIAL: Final = {"allow_partial_search_results": "true"}


def fetch_body(
    engine: Engine, reach: Reach, ids: Sequence[str], wanted: Wanted, timeout_ms: int
) -> Request:
    """The documents' sources: one `_mget`, or a search by ids where the engine has to look at
    them, to filter or to highlight.
    """
    marked = highlight(engine, wanted)
    if not wanted.filters and marked is None and _within_reach(reach, ids):
        shared = _shared(wanted.sources)
        shown = {"_source": _shown(wanted.sources)} if shared is None else {}
        return mget_request(reach, _places(reach, ids, shown), shared or {})
    body = _search(reach, ids, _shown(wanted.sources), clauses(wanted.filters))
    body["timeout"] = f"{timeout_ms}ms"
    if marked is not None:
        body["highlight"] = marked
    return search_request(reach, body, PARTIAL)


def vectors_body(engine: Engine, reach: Reach, field: str, ids: Sequence[str]) -> Request:
    """The stored vectors, as the sources hold them."""
    # From 9.2 on Elasticsearch leaves vectors out of the sources unless it is told not to.
    hidden = engine.elastic and engine.version >= (9, 2)
    if "," in field or not _within_reach(reach, ids):
        shown: Json = {"includes": [field], **({"exclude_vectors": False} if hidden else {})}
        return search_request(reach, _search(reach, ids, shown, []), PARTIAL)
    params = {"_source_includes": field, **({"_source_exclude_vectors": "false"} if hidden else {})}
    return mget_request(reach, _places(reach, ids, {}), params)


def _within_reach(reach: Reach, ids: Sequence[str]) -> bool:
    """Whether an `_mget` would read nothing but what the leg reads.

    A document's name may have come from anybody, and `_mget` goes to whichever index it names; a
    search stays within the expression. It finds what an index holds that is younger than what is
    known, too.
    """
    if not reach.several:
        return True
    named = by_index(ids).keys()
    return bool(named) and named <= reach.indices


def _places(reach: Reach, ids: Sequence[str], shown: Json) -> Json:
    """The body of an `_mget`: where the documents are, and what of each is shown."""
    if reach.several:
        found = by_index(ids)
        places = [{"_index": index, "_id": own} for index in found for own in found[index]]
        return {"docs": [{**place, **shown} for place in places]}
    return {"docs": [{"_id": own, **shown} for own in ids]} if shown else {"ids": list(ids)}


def _search(reach: Reach, ids: Sequence[str], shown: object, filters: list[Json]) -> Json:
    among = [_among(reach, ids), *filters]
    return {
        "query": {"bool": {"filter": among}},
        "size": len(ids),
        "track_total_hits": False,
        "_source": shown,
    }


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
    if not of_each:
        return {"match_none": {}}
    return {"bool": {"should": of_each, "minimum_should_match": 1}}
