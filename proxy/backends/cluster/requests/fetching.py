"""Documents and vectors by id."""

from __future__ import annotations

from collections.abc import Sequence

from proxy.backends import Wanted
from proxy.backends.cluster.ids import by_index
from proxy.backends.cluster.requests.target import Engine, Json, Reach, Request, mget_request
from proxy.model import Sources


def fetch_body(
    engine: Engine, reach: Reach, ids: Sequence[str], wanted: Wanted, timeout_ms: int
) -> Request:
    """The documents' sources in one `_mget`."""
    shown = _shown(wanted.sources)
    docs = [{**doc, "_source": shown} for doc in _documents(reach, ids)]
    return mget_request(reach, {"docs": docs}, {})


def vectors_body(engine: Engine, reach: Reach, field: str, ids: Sequence[str]) -> Request:
    """The stored vectors, as the sources hold them."""
    docs = [{**doc, "_source": {"include": [field]}} for doc in _documents(reach, ids)]
    # From 9.2 on Elasticsearch leaves vectors out of the sources unless it is told not to.
    hidden = engine.elastic and engine.version >= (9, 2)
    params = {"_source_exclude_vectors": "false"} if hidden else {}
    return mget_request(reach, {"docs": docs}, params)


def _documents(reach: Reach, ids: Sequence[str]) -> list[Json]:
    if not reach.several:
        return [{"_id": own} for own in ids]
    found = by_index(ids)
    return [{"_index": index, "_id": own} for index, owned in found.items() for own in owned]


def _shown(sources: Sources) -> object:
    """What of a source is sent back, as `_source` says it."""
    if sources.include is None and not sources.exclude:
        return True
    if sources.include == ():
        return False
    shown: Json = {"exclude": list(sources.exclude)}
    if sources.include is not None:
        shown["include"] = list(sources.include)
    return shown
