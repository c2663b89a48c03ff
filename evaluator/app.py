"""The private port: metrics and health, for machines."""

from __future__ import annotations

from typing import Final

from aiohttp import hdrs, web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from evaluator.service import Service

SERVICE: Final = web.AppKey("service", Service)


def private(service: Service) -> web.Application:
    """The application; bind it to a private address, it asks nobody who they are."""
    app = web.Application()
    app[SERVICE] = service
    app.router.add_get("/metrics", metrics)
    app.router.add_get("/health/live", live)
    app.router.add_get("/health/ready", ready)
    app.on_response_prepare.append(unsigned)
    return app


async def unsigned(_: web.Request, response: web.StreamResponse) -> None:
    """Don't say what we are made of, and in which version."""
    response.headers.pop(hdrs.SERVER, None)


async def metrics(request: web.Request) -> web.Response:
    """`GET /metrics`."""
    text = generate_latest(request.app[SERVICE].metrics.registry)
    return web.Response(body=text, headers={"Content-Type": CONTENT_TYPE_LATEST})


async def live(_: web.Request) -> web.Response:
    """`GET /health/live`: the process answers."""
    return web.json_response({"status": "ok"})


async def ready(request: web.Request) -> web.Response:
    """`GET /health/ready`: 503 until a round is finished, and when none was lately."""
    if request.app[SERVICE].ready:
        return web.json_response({"status": "ok"})
    return web.json_response({"status": "no round finished lately"}, status=503)
