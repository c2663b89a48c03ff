"""What else an engine has, and why it isn't had here. Everything that isn't served is refused."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from proxy.compat.failures import Refused
from proxy.compat.parameters import CURSORS
from proxy.compat.responses import engine
from proxy.errors import BadRequest

OPENED: Final = ("_pit", "point_in_time", "scroll")
WRITES: Final = (
    "_bulk", "_create", "_delete_by_query", "_reindex", "_update", "_update_by_query",
)  # fmt: skip
PROGRAMS: Final = ("_msearch_template", "_render", "_scripts", "_sql", "_esql", "_eql", "template")
OTHERS: Final = (
    "_alias", "_aliases", "_async_search", "_cat", "_cluster", "_data_stream", "_explain",
    "_field_caps", "_flush", "_forcemerge", "_ingest", "_knn_search", "_mapping", "_ml", "_nodes",
    "_plugins", "_query", "_rank_eval", "_refresh", "_search_shards", "_security", "_settings",
    "_snapshot", "_source", "_stats", "_tasks", "_terms_enum", "_termvectors", "_validate",
)  # fmt: skip
SERVED: Final = {
    "_search": ("GET", "POST"), "_msearch": ("GET", "POST"), "_count": ("GET", "POST"),
    "_mget": ("GET", "POST"), "_doc": ("GET", "HEAD"),
}  # fmt: skip


@engine
async def unserved(request: web.Request) -> web.StreamResponse:
    """Any path and method that no other handler has."""
    steps = request.match_info["path"].split("/")
    for step in steps:
        if step in OPENED:
            raise BadRequest(CURSORS)
        if step in WRITES:
            raise Refused("documents are not written here: ask the cluster itself", field=step)
        if step in PROGRAMS:
            raise Refused("nothing is run here that a client or a cluster wrote", field=step)
        if step in OTHERS:
            raise Refused("is not served here: ask the cluster itself", field=step)
    for step in steps[:2]:
        if step in SERVED and request.method not in SERVED[step]:
            raise web.HTTPMethodNotAllowed(
                request.method, SERVED[step], text=f"documents are only read here: {step} takes "
                f"{' and '.join(SERVED[step])}"
            )  # fmt: skip
    if "_search" in steps[:1]:
        raise Refused("names no index to search", field="_search")
    raise web.HTTPNotFound(text="there is no such path here")
