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
from aiohttp.http_exceptions import (
    BadHttpMethod,
    BadStatusLine,
    HttpProcessingError,
    InvalidURLError,
    LineTooLong,
)

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
MAX_LINE: Final = 8190
"""Bytes of a request's URL, and of each of its headers."""
MALFORMED: Final[tuple[tuple[type[HttpProcessingError], str], ...]] = (
    (LineTooLong, f"the URL or a header is longer than {MAX_LINE} bytes"),
    (BadHttpMethod, "the request does not begin as HTTP does"),
    (BadStatusLine, "the request's first line is not in order"),
    (InvalidURLError, "the request's URL is not in order"),
    (HttpProcessingError, "the request is not in order as HTTP"),
)
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


def unechoed(exc: web.HTTPException) -> web.HTTPException:
    """An error of aiohttp's own making, whose text repeats nothing of what was sent."""
    if isinstance(exc, web.HTTPExpectationFailed):
        return web.HTTPExpectationFailed(text="of expectations, only 100-continue is met")
    return exc


def malformed(exc: HttpProcessingError) -> web.Response:
    """The response for what can't be read as HTTP; it repeats nothing of it."""
    told = next(text for cls, text in MALFORMED if isinstance(exc, cls))
    return _response(400, _Error("bad_request", told))


def bare(response: web.Response) -> bytes:
    """A response as bytes, for a connection that has no request to answer and ends with it."""
    body = response.body
    assert isinstance(body, bytes)  # as `_response` makes it
    headers = {**response.headers, hdrs.CONTENT_LENGTH: str(len(body)), hdrs.CONNECTION: "close"}
    lines = (
        f"HTTP/1.1 {response.status} {response.reason}",
        *(f"{name}: {value}" for name, value in headers.items()),
    )
    return "\r\n".join((*lines, "", "")).encode() + body


def _of_http(exc: web.HTTPException) -> web.Response:
    """What aiohttp says in text, in our shape; of its headers those that mean something."""
    choices = sorted(exc.allowed_methods) if isinstance(exc, web.HTTPMethodNotAllowed) else ()
    told = _Error(
        CODES.get(exc.status, "error"),
        _clean(exc.text or exc.reason),
        choices=choices,
    )
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
