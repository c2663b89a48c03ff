"""Responses as clients of the engine know them: product header, content types, errors."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import wraps
from http import HTTPStatus
from typing import Final

import msgspec
from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from proxy.compat import media
from proxy.compat.failures import failure
from proxy.compat.searching import indexed
from proxy.errors import SearchError
from proxy.routes import SERVICE, body

log = logging.getLogger(__name__)

PRODUCT: Final = {"X-Elastic-Product": "Elasticsearch"}
"""Without it, clients of Elasticsearch refuse to talk."""


def engine(handler: Handler) -> Handler:
    """The handler, whose errors are the engine's, where any route has an index."""

    @wraps(handler)
    async def answering(request: web.Request) -> web.StreamResponse:
        if not indexed(request.app[SERVICE].generation):
            raise web.HTTPNotFound
        try:
            wanted(request)
            return await handler(request)
        except ConnectionError:
            raise
        except Exception as exc:
            if not isinstance(exc, SearchError | web.HTTPException):
                log.exception("request failed", extra={"method": request.method})
            return _failed(request, exc)

    return answering


def wanted(request: web.Request) -> str | None:
    """The version that the client asks for. Raises `BadRequest` for one that isn't served."""
    headers = request.headers
    return media.version(headers.get(hdrs.ACCEPT, ""), headers.get(hdrs.CONTENT_TYPE, ""))


def json(
    request: web.Request,
    said: bytes,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    """A response to this client, of JSON."""
    kind = media.answer_type(wanted(request))
    told = {**PRODUCT, **(headers or {}), "Content-Type": kind}
    return web.Response(body=said, status=status, headers=told)


async def read(request: web.Request) -> bytes:
    """The request's body, of a type that pages elsewhere can't send unasked."""
    raw = await body(request)
    if raw and request.content_type not in media.BODIES:
        raise web.HTTPUnsupportedMediaType(text=f"a body comes as {' or '.join(media.BODIES[:2])}")
    return raw


def _failed(request: web.Request, exc: Exception) -> web.Response:
    told = failure(exc)
    try:
        kind = media.answer_type(wanted(request))
    except SearchError:
        kind = media.JSON
    headers = {**PRODUCT, "Content-Type": kind}
    if told.status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers["Retry-After"] = "1"
    if isinstance(exc, web.HTTPMethodNotAllowed):
        headers["Allow"] = ", ".join(sorted(exc.allowed_methods))
    return web.Response(body=msgspec.json.encode(told), status=told.status, headers=headers)
