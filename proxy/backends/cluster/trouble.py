"""What can go wrong between us and one node, and whose decision it is."""

from __future__ import annotations

import ssl
from enum import StrEnum
from typing import Final

import aiohttp
import msgspec

from proxy.backends.cluster.tls import MISMATCH
from proxy.errors import BackendError, BackendRefused, BackendTimeout


class Stale(aiohttp.ClientError):
    """A reused connection was gone before a byte of an answer arrived: the engine may not have
    seen the request.
    """


class TooLarge(aiohttp.ClientError):
    """The answer has more bytes than we read."""


class Redirected(aiohttp.ClientError):
    """The answer sends us elsewhere, where we don't go."""


class NotJson(aiohttp.ClientError):
    """The answer is no JSON: somebody else has answered. `status` is what it came with."""

    def __init__(self, status: int) -> None:
        super().__init__(f"no JSON, status {status}")
        self.status = status


class Kind(StrEnum):
    """What went wrong; a closed set, each with a remedy of its own."""

    NAME = "its name is not known"
    REFUSED = "it takes no connection"
    UNREACHABLE = "no connection in time"
    UNTRUSTED = "its certificate is signed by nobody we trust"
    FINGERPRINT = MISMATCH
    TLS = "the TLS handshake failed"
    NO_HTTP = "it speaks no HTTP"
    STALE = "an idle connection was gone"
    BROKEN = "the connection broke"
    HALF = "the answer broke off"
    TIMEOUT = "no answer in time"
    TOO_LARGE = "the answer is too large"
    REDIRECT = "it sends us elsewhere"
    NO_JSON = "the answer is no JSON"
    STATUS = "it refused"
    PRODUCT = "it is another product"
    UNSIGNED = "there is nothing to sign with"


UNCONNECTED: Final = frozenset({Kind.NAME, Kind.REFUSED, Kind.UNREACHABLE})
"""No connection came about, so the engine has seen nothing of the request."""
DOWN: Final = UNCONNECTED | {Kind.UNTRUSTED, Kind.FINGERPRINT, Kind.TLS, Kind.NO_HTTP, Kind.BROKEN,
    Kind.HALF,
}  # fmt: skip
"""What counts against the node rather than against the request."""
PASSING: Final = frozenset({502, 503, 504})
"""Statuses of a node, or of what stands before it, that may be another moment's."""
WRONG: Final = frozenset({400, 401, 403, 404, 405, 406, 410, 413, 415, 422})
"""Statuses that say that the question is wrong, not the moment."""

KINDS: Final[tuple[tuple[type[BaseException], Kind], ...]] = (
    (Stale, Kind.STALE),
    (TooLarge, Kind.TOO_LARGE),
    (Redirected, Kind.REDIRECT),
    (NotJson, Kind.NO_JSON),
    (aiohttp.ClientConnectorDNSError, Kind.NAME),
    (aiohttp.ClientConnectorCertificateError, Kind.UNTRUSTED),
    (aiohttp.ClientConnectorSSLError, Kind.TLS),
    (aiohttp.ConnectionTimeoutError, Kind.UNREACHABLE),
    (TimeoutError, Kind.TIMEOUT),
    (aiohttp.ClientConnectorError, Kind.REFUSED),
    (aiohttp.ClientPayloadError, Kind.HALF),
    (aiohttp.ClientResponseError, Kind.NO_HTTP),
    (ssl.SSLError, Kind.TLS),
    (aiohttp.ClientError, Kind.BROKEN),
)
"""First row wins."""
CAUSES: Final = (aiohttp.ClientError, TimeoutError, OSError)
"""What a request over HTTP may raise."""


class Trouble(Exception):
    """One request to one node went wrong. `status` and `code` are the engine's, where it answered;
    `code` is the type of its error.

    Its `reason` may quote the query: it is for who asks a question of their own, and neither shown
    nor handed on.
    """

    def __init__(
        self, kind: Kind, status: int | None = None, code: str = "", reason: str = ""
    ) -> None:
        super().__init__(kind.value, status, code)
        self.kind = kind
        self.status = status
        self.code = code
        self.reason = reason

    def error(self) -> BackendError:
        """What it means to whoever asked."""
        if self.kind is Kind.TIMEOUT:
            return BackendTimeout(self.kind.value)
        if self.status is None:
            return BackendError(self.kind.value)
        what = "no JSON" if self.kind is Kind.NO_JSON else self.code
        said = f"the engine answered {self.status} {what}".rstrip()
        if self.status == 408 or "timeout" in self.code:
            return BackendTimeout(said)
        return BackendRefused(said) if self.status in WRONG else BackendError(said)


def trouble_of(cause: BaseException) -> Trouble:
    """What a failure of the HTTP session means.

    >>> trouble_of(Stale()).kind.name
    'STALE'
    """
    kind = next((kind for cls, kind in KINDS if isinstance(cause, cls)), Kind.BROKEN)
    if kind is Kind.UNTRUSTED and MISMATCH in str(cause):
        kind = Kind.FINGERPRINT
    return Trouble(kind, cause.status if isinstance(cause, NotJson) else None)


class _Cause(msgspec.Struct):
    type: str = ""
    reason: str | None = None


class _Error(msgspec.Struct):
    type: str = ""
    reason: str | None = None
    root_cause: list[_Cause] = []


class _Refusal(msgspec.Struct):
    error: _Error | str = ""


def refusal(status: int, body: bytes) -> Trouble:
    """What an answer with an error's status means: the type of the error, nothing of its reason.

    >>> refusal(404, b'{"error": {"type": "index_not_found_exception", "reason": "…"}}').code
    'index_not_found_exception'
    """
    try:
        error = msgspec.json.decode(body, type=_Refusal).error
    except msgspec.MsgspecError:
        return Trouble(Kind.STATUS, status)
    if isinstance(error, str):
        return Trouble(Kind.STATUS, status, "", error)
    told: _Error | _Cause = error
    if error.type == "search_phase_execution_exception" and error.root_cause:
        told = error.root_cause[0]
    return Trouble(Kind.STATUS, status, _plain(told.type or error.type), told.reason or "")


def _plain(code: str) -> str:
    """An error's type is a word; whatever else stands there may be somebody's text."""
    return code if code.replace("_", "").isalnum() and len(code) <= 80 else ""
