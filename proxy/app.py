"""The two web applications, one a port: their paths, errors in one shape, CORS."""

from __future__ import annotations

import logging
from collections.abc import Collection
from contextlib import suppress
from typing import Final

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from proxy.compat.paths import add_paths
from proxy.compat.responses import engine
from proxy.errors import SearchError
from proxy.intake import Intake
from proxy.routes import INTAKE, MAX_BODY, SERVICE, get_or_post_search, post_events
from proxy.service import Service
from proxy.wire.failures import failure, unechoed

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
    app.on_response_prepare.append(unsigned)
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


async def unsigned(_: web.Request, response: web.StreamResponse) -> None:
    """Don't say what we are made of, and in which version."""
    response.headers.pop(hdrs.SERVER, None)


async def told(request: web.BaseRequest, exc: web.HTTPException) -> web.Response:
    """An error that was raised before any handler ran, in the shape of its path's API."""

    @engine
    async def raising(_: web.Request) -> web.StreamResponse:
        raise quiet

    quiet = unechoed(exc)
    if isinstance(request, web.Request) and not request.path.startswith("/v1/"):
        with suppress(web.HTTPNotFound):  # where no route has an index
            response = await raising(request)
            if isinstance(response, web.Response):
                return response
    return failure(quiet)


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
