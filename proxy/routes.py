"""The public handlers: read, ask the service, write, and only then let it observe."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter, time_ns
from typing import Final

from aiohttp import hdrs, web

from proxy.errors import SearchError, TooLarge
from proxy.generation import Generation
from proxy.intake import Intake
from proxy.metrics import Metrics
from proxy.served import Served
from proxy.service import Service
from proxy.wire import answers, events, search

log = logging.getLogger(__name__)

SERVICE: Final = web.AppKey("service", Service)
INTAKE: Final = web.AppKey("intake", Intake)
MAX_BODY: Final = 256 * 1024
"""Bytes of a request's body, as announced or as it comes."""
BODY_SECONDS: Final = 10.0
"""How long a client may take to send it."""
JSON: Final = "application/json"
QUIET: Final = ("ok", "overloaded")
EVENT_TYPES: Final = (JSON, "text/plain")
"""What events may come as; a page's beacon sends text without asking for leave first."""


async def get_or_post_search(request: web.Request) -> web.StreamResponse:
    """`POST /v1/{route}/search`, and GET with `q`."""
    service, started = request.app[SERVICE], perf_counter()
    generation = service.generation
    name = request.match_info["route"]
    with generation.held(), measured(name, service.metrics, generation, started):
        route = generation.route(name)
        asked = (
            search.from_parameters(parameters(request), route.accepts)
            if request.method == hdrs.METH_GET
            else search.from_body(await body(request), route.accepts)
        )
        served = await service.search(generation, route, asked)
        response = web.Response(
            body=answers.page(served, perf_counter() - started), content_type=JSON
        )
        await response.prepare(request)
        await response.write_eof()
        follow_soon(service, generation, served)
    return response


def follow_soon(service: Service, generation: Generation, served: Served) -> None:
    """Follow what was served in a turn of the loop after the one that wrote the answer: its bytes
    have left before the shadows start, and nothing that goes wrong there can reach them.
    """
    generation.hold()
    asyncio.get_running_loop().call_soon(_follow, service, generation, served)


def _follow(service: Service, generation: Generation, served: Served) -> None:
    try:
        service.follow(generation, served)
    finally:
        generation.let_go()


async def post_events(request: web.Request) -> web.Response:
    """`POST /v1/events`."""
    if request.content_type not in EVENT_TYPES:
        raise web.HTTPUnsupportedMediaType(text=f"events come as {' or '.join(EVENT_TYPES)}")
    service, now = request.app[SERVICE], time_ns() // 1_000_000
    plan = service.generation.plan
    told = events.from_body(await body(request))
    outcome = request.app[INTAKE].receive(told, plan.settings.events.max_age, plan.routes, now)
    if outcome.dropped:
        raise web.HTTPServiceUnavailable(
            text="the event log's buffer is full: send the same events again",
            headers={hdrs.RETRY_AFTER: "1"},
        )
    return web.Response(status=202, body=answers.received(outcome), content_type=JSON)


async def body(request: web.Request) -> bytes:
    """The request's body. One that announces itself too large is refused unread."""
    if request.headers.get(hdrs.CONTENT_ENCODING, "identity").lower() != "identity":
        raise web.HTTPUnsupportedMediaType(text="compressed bodies are not read")
    if (request.content_length or 0) > MAX_BODY:
        raise TooLarge(f"the body is larger than {MAX_BODY} bytes")
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await request.read()
    except web.HTTPRequestEntityTooLarge:
        raise TooLarge(f"the body is larger than {MAX_BODY} bytes") from None
    except TimeoutError:
        raise web.HTTPRequestTimeout(text=f"no whole body in {BODY_SECONDS:g} s") from None


def parameters(request: web.Request) -> dict[str, list[str]]:
    """The URL's parameters, each with all its values."""
    query = request.rel_url.query
    return {key: query.getall(key) for key in query}


@contextmanager
def measured(name: str, metrics: Metrics, generation: Generation, started: float) -> Iterator[None]:
    """Count a search of the route `name` under what became of it, and write its log line (`debug`
    if all is well, or if it is one of too many: a line each would cost what refusing saves).
    """
    outcome = "error"
    running = metrics.in_flight("live")
    running.inc()
    try:
        yield
        outcome = "ok"
    except SearchError as exc:
        outcome = exc.outcome
        raise
    except (asyncio.CancelledError, ConnectionError):
        outcome = "cancelled"
        raise
    except web.HTTPException:
        outcome = "bad_request"
        raise
    finally:
        running.dec()
        seconds = perf_counter() - started
        route = name if name in generation.routes else ""
        metrics.request(route, outcome).observe(seconds)
        level = logging.DEBUG if outcome in QUIET else logging.INFO
        if log.isEnabledFor(level):
            said = {"route": route, "outcome": outcome, "ms": round(1000 * seconds, 3)}
            log.log(level, "search", extra=said)
