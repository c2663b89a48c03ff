"""The two web applications, one a port: their paths, errors in one shape, CORS."""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import Final

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from proxy.compat.paths import add_paths
from proxy.errors import SearchError
from proxy.intake import Intake
from proxy.routes import INTAKE, MAX_BODY, SERVICE, get_or_post_search, post_events
from proxy.service import Service
from proxy.wire.failures import failure

log = logging.getLogger(__name__)

PREFLIGHT: Final = {
    hdrs.ACCESS_CONTROL_ALLOW_METHODS: "GET, POST",
    hdrs.ACCESS_CONTROL_ALLOW_HEADERS: "content-type",
    hdrs.ACCESS_CONTROL_MAX_AGE: "86400",
}


def public(service: Service, intake: Intake, cors_origins: Collection[str]) -> web.Application:
    """The API under /v1, and beside it the one of Elasticsearch for routes with an index."""
    app = web.Application(middlewares=[errors], client_max_size=MAX_BODY)
    app[SERVICE] = service
    app[INTAKE] = intake
    app.router.add_get("/v1/{route}/search", get_or_post_search, allow_head=False)
    app.router.add_post("/v1/{route}/search", get_or_post_search)
    app.router.add_post("/v1/events", post_events)
    add_paths(app)
    if cors_origins:
        allow(app, frozenset(cors_origins))
    return app


def allow(app: web.Application, origins: Collection[str]) -> None:
    """Let pages of exactly these origins call: answer preflights, mark what they may read."""

    async def preflight(request: web.Request) -> web.Response:
        if request.headers.get(hdrs.ORIGIN) not in origins:
            raise web.HTTPForbidden(text="this origin may not call")
        return web.Response(status=204, headers=PREFLIGHT)

    async def mark(request: web.Request, response: web.StreamResponse) -> None:
        response.headers[hdrs.VARY] = hdrs.ORIGIN
        if (origin := request.headers.get(hdrs.ORIGIN, "")) in origins:
            response.headers[hdrs.ACCESS_CONTROL_ALLOW_ORIGIN] = origin

    app.router.add_options("/v1/{route}/search", preflight)
    app.router.add_options("/v1/events", preflight)
    app.on_response_prepare.append(mark)


@web.middleware
async def errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Whatever is raised, as a response; a bug is logged here and says nothing outside."""
    try:
        return await handler(request)
    except (SearchError, web.HTTPException) as exc:
        return failure(exc)
    except ConnectionError:
        raise
    except Exception as exc:
        log.exception("request failed", extra={"method": request.method})
        return failure(exc)
