"""Errors in the engine's shape, which its clients know how to raise.

`{error: {root_cause: [{type, reason}], type, reason}, status}`. Of our own failures a constant is
told, which names no host and quotes no engine.
"""

from __future__ import annotations

from typing import Final

import msgspec
from aiohttp import web

from proxy.compat.recognition import Unrecognised
from proxy.errors import BackendError, BadRequest, NoLegAnswered, SearchError, TooLarge
from proxy.wire.failures import MESSAGES

TYPES: Final[tuple[tuple[type[Exception], str], ...]] = (
    (TooLarge, "content_too_long_exception"),
    (NoLegAnswered, "search_phase_execution_exception"),
    (BackendError, "search_phase_execution_exception"),
)
STATUSES: Final = {
    400: "illegal_argument_exception", 403: "unrecognised_request_exception",
    404: "resource_not_found_exception", 405: "method_not_allowed_exception",
    408: "timeout_exception", 413: "content_too_long_exception",
    415: "media_type_header_exception",
}  # fmt: skip


class Refused(BadRequest):
    """The request isn't one that is served: `field` says which part of it, if it is a part."""

    status = 403
    code = "refused"

    @classmethod
    def of(cls, unrecognised: Unrecognised) -> Refused:
        """The error for what was not recognised."""
        return cls(unrecognised.reason, field=unrecognised.path)


class _Cause(msgspec.Struct, frozen=True):
    type: str
    reason: str


class _Error(msgspec.Struct, frozen=True):
    root_cause: tuple[_Cause, ...]
    type: str
    reason: str


class Failure(msgspec.Struct, frozen=True):
    """An error as it stands in an answer."""

    error: _Error
    status: int


def failure(exc: Exception) -> Failure:
    """The answer for a `SearchError`, for an error of aiohttp's, or for a bug."""
    match exc:
        case SearchError():
            status = exc.status
        case web.HTTPException():
            status = exc.status
        case _:
            status = 500
    kind = next((name for cls, name in TYPES if isinstance(exc, cls)), None)
    kind = kind or STATUSES.get(status, "exception")
    reason = _clean(_reason(exc))
    return Failure(_Error((_Cause(kind, reason),), kind, reason), status)


def _reason(exc: Exception) -> str:
    match exc:
        case BadRequest():
            choices = f"; recognised: {', '.join(exc.choices)}" if exc.choices else ""
            where = "" if exc.field is None else f"[{exc.field}] "
            return f"{where}{exc.message}{choices}"
        case SearchError():
            return MESSAGES.get(exc.code, "the search failed")
        case web.HTTPException():
            return exc.text or exc.reason
    return "an internal error"


def _clean(text: str) -> str:
    """The text without lone surrogates, which undecodable bytes in a URL become."""
    return text if text.isascii() else text.encode(errors="replace").decode()
