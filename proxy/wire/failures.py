"""What clients are told when something is wrong: one shape for every error of every port.

`{error: {code, message, field, value, choices}}`. Of our own failures a constant is told, which
names no host and quotes no engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final

import msgspec
from aiohttp import hdrs, web

from proxy.errors import BadRequest, SearchError

MESSAGES: Final = {
    "no_leg_answered": "no part of the search answered in time",
    "overloaded": "too many searches are in progress",
    "backend_error": "the search engine failed",
}
CODES: Final = {
    401: "unauthorized", 403: "forbidden", 404: "not_found", 405: "method_not_allowed",
    408: "too_slow", 413: "too_large", 415: "unsupported_media_type",
    503: "unavailable",
}  # fmt: skip
_HEADERS: Final = (hdrs.ALLOW, hdrs.RETRY_AFTER, hdrs.WWW_AUTHENTICATE)


class _Error(msgspec.Struct, frozen=True):
    code: str
    message: str
    field: str | None = None
    value: str | None = None
    choices: Sequence[str] = ()


def failure(exc: Exception) -> web.Response:
    """The response for a `SearchError`, for an error of aiohttp's, or for a bug."""
    match exc:
        case BadRequest():
            value = None if exc.value is None else _clean(exc.value)
            field = None if exc.field is None else _clean(exc.field)
            return _response(
                exc.status, _Error(exc.code, _clean(exc.message), field, value, exc.choices)
            )
        case SearchError():
            unavailable = exc.status == HTTPStatus.SERVICE_UNAVAILABLE
            retry: dict[str, str] = {hdrs.RETRY_AFTER: "1"} if unavailable else {}
            message = MESSAGES.get(exc.code, "the search failed")
            return _response(exc.status, _Error(exc.code, message), retry)
        case web.HTTPException():
            return _of_http(exc)
    return _response(500, _Error("internal", "an internal error"))


def _of_http(exc: web.HTTPException) -> web.Response:
    """What aiohttp says in text, in our shape; of its headers those that mean something."""
    choices = sorted(exc.allowed_methods) if isinstance(exc, web.HTTPMethodNotAllowed) else ()
    told = _Error(CODES.get(exc.status, "error"), _clean(exc.text or exc.reason), choices=choices)
    kept: dict[str, str] = {name: exc.headers[name] for name in _HEADERS if name in exc.headers}
    return _response(exc.status, told, kept)


def _response(status: int, told: _Error, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.Response(
        status=status,
        body=msgspec.json.encode({"error": told}),
        content_type="application/json",
        headers=headers,
    )


def _clean(text: str) -> str:
    """The text without lone surrogates, which undecodable bytes in a URL become."""
    return text if text.isascii() else text.encode(errors="replace").decode()
