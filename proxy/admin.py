"""The private port: metrics and health for machines, `/admin` for people with the token."""

from __future__ import annotations

import asyncio
from hmac import compare_digest
from typing import Final

import msgspec
from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from proxy.app import errors, unsigned
from proxy.explain import explain
from proxy.redacted import redacted
from proxy.reload import Reloader
from proxy.routes import JSON, MAX_BODY, SERVICE, body
from proxy.service import Service
from proxy.wire import explanations
from proxy.wire.failures import failure, unechoed

RELOADER: Final = web.AppKey("reloader", Reloader)


def private(service: Service, reloader: Reloader, token: str | None) -> web.Application:
    """The application of the private port; without a `token` its `/admin` is closed."""
    app = web.Application(middlewares=[errors], client_max_size=MAX_BODY)
    app[SERVICE] = service
    app.router.add_get("/metrics", metrics)
    app.router.add_get("/health/live", healthy)
    app.router.add_get("/health/ready", healthy)
    admin = web.Application(middlewares=[bearer(token)], client_max_size=MAX_BODY)
    admin[SERVICE] = service
    admin[RELOADER] = reloader
    admin.router.add_get("/config", config)
    admin.router.add_post("/reload", reload)
    admin.router.add_post("/kill-shadows", kill_shadows)
    admin.router.add_post("/explain", explain_query)
    app.add_subapp("/admin", admin)
    app.on_response_prepare.append(unsigned)
    return app


async def told(_: web.BaseRequest, exc: web.HTTPException) -> web.Response:
    """An error that was raised before any handler ran."""
    return failure(unechoed(exc))


def bearer(token: str | None) -> Middleware:
    """A middleware that lets through who carries the token."""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if token is None:
            raise web.HTTPForbidden(text="no admin token is configured (server.admin.token_env)")
        scheme, _, given = request.headers.get(hdrs.AUTHORIZATION, "").partition(" ")
        known = compare_digest(given.strip().encode(errors="replace"), token.encode())
        if scheme.lower() != "bearer" or not known:
            raise web.HTTPUnauthorized(
                text="a bearer token is needed", headers={hdrs.WWW_AUTHENTICATE: "Bearer"}
            )
        return await handler(request)

    return check


async def metrics(request: web.Request) -> web.Response:
    """`GET /metrics`, written off the loop: no search waits for a scrape."""
    text = await asyncio.to_thread(generate_latest, request.app[SERVICE].metrics.registry)
    return web.Response(body=text, headers={hdrs.CONTENT_TYPE: CONTENT_TYPE_LATEST})


async def healthy(request: web.Request) -> web.Response:
    """`GET /health/live` and `/health/ready`: who answers serves, with Redis or without."""
    return _json({"status": "ok"})


async def config(request: web.Request) -> web.Response:
    """`GET /admin/config`: the configuration in force, without what might be a secret."""
    service = request.app[SERVICE]
    settings = redacted(service.generation.plan.settings)
    return _json({"config": settings, "shadows_killed": service.background.killed})


async def reload(request: web.Request) -> web.Response:
    """`POST /admin/reload`: 200, or 409 with every problem and nothing changed."""
    problems = await request.app[RELOADER].reload()
    return _json({"reloaded": not problems, "problems": problems}, 409 if problems else 200)


async def kill_shadows(request: web.Request) -> web.Response:
    """`POST /admin/kill-shadows`: no shadow runs any more until this process starts again."""
    request.app[SERVICE].background.kill()
    return _json({"shadows_killed": True})


async def explain_query(request: web.Request) -> web.Response:
    """`POST /admin/explain`: one query through every pipeline of a route, side by side.

    On the shadows' clients, so that no live search waits for it.
    """
    service = request.app[SERVICE]
    generation = service.generation
    with generation.held():
        route, asked = explanations.from_body(await body(request), generation)
        query = service.query(route, asked)[0]
        clients, primary = generation.lease.shadow, route.plan.primary
        explanation = await explain(route.pipelines(), query, clients, primary)
    return _json(explanation)


def _json(value: object, status: int = 200) -> web.Response:
    return web.Response(status=status, body=msgspec.json.encode(value), content_type=JSON)
