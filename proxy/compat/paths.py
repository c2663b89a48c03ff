"""Where it all stands. `/v1` is another API's, and is left alone."""

from __future__ import annotations

from typing import Final

from aiohttp import hdrs, web

from proxy.compat.documents import get, mget
from proxy.compat.handlers import count, search
from proxy.compat.identity import info
from proxy.compat.multisearch import msearch
from proxy.compat.refusals import unserved

PATHS: Final = (
    ("/", info),
    ("/_msearch", msearch),
    ("/_mget", mget),
    ("/{index}/_search", search),
    ("/{index}/_msearch", msearch),
    ("/{index}/_count", count),
    ("/{index}/_mget", mget),
    ("/{index}/_doc/{id}", get),
)
READ: Final = ("/", "/{index}/_doc/{id}")
"""Paths that take no body, and HEAD."""


def add_paths(app: web.Application) -> None:
    """Serve this API beside what the application serves already; add it last."""
    for path, handler in PATHS:
        second = hdrs.METH_HEAD if path in READ else hdrs.METH_POST
        for method in (hdrs.METH_GET, second):
            app.router.add_route(method, path, handler)
    app.router.add_route(hdrs.METH_ANY, "/{path:(?!v1(?:/|$)).*}", unserved)
