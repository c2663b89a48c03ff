from __future__ import annotations

from typing import Any

import msgspec
import pytest
from aiohttp import web
from aiohttp.http_exceptions import (
    BadHttpMethod,
    BadStatusLine,
    HttpProcessingError,
    InvalidURLError,
    LineTooLong,
    TransferEncodingError,
)

from proxy.errors import BackendError, BadRequest, NoLegAnswered, Overloaded, TooLarge, UnknownRoute
from proxy.wire.failures import bare, failure, malformed, unechoed


def told(exc: Exception) -> tuple[int, dict[str, Any]]:
    response = failure(exc)
    assert isinstance(response.body, bytes)
    return response.status, msgspec.json.decode(response.body)["error"]


@pytest.mark.parametrize(
    ("exc", "status", "code"),
    [
        (BadRequest("no"), 400, "bad_request"),
        (UnknownRoute("no"), 404, "unknown_route"),
        (TooLarge("no"), 413, "too_large"),
        (Overloaded(), 503, "overloaded"),
        (NoLegAnswered("os-7.internal said no"), 503, "no_leg_answered"),
        (BackendError("os-7.internal said no"), 502, "backend_error"),
        (web.HTTPNotFound(), 404, "not_found"),
        (web.HTTPMethodNotAllowed("PUT", ["GET"]), 405, "method_not_allowed"),
        (web.HTTPUnauthorized(), 401, "unauthorized"),
        (web.HTTPRequestTimeout(), 408, "too_slow"),
        (web.HTTPExpectationFailed(), 417, "error"),
        (KeyError("os-7.internal"), 500, "internal"),
    ],
)
def test_every_error_has_one_shape(exc: Exception, status: int, code: str):
    """
    Status and code say what to do; no host of ours is named.
    """
    got, said = told(exc)

    assert (status, code) == (got, said["code"])
    assert {"code", "message", "field", "value", "choices"} == said.keys()
    assert said["message"]
    assert "internal said" not in said["message"]


def test_a_bad_request_names_everything():
    """
    The field, the value cut at a hundred characters, the choices.
    """
    _, said = told(BadRequest("is none", field="type", value="x" * 500, choices=["a", "b"]))

    assert ("is none", "type", "x" * 100, ["a", "b"]) == (
        said["message"], said["field"], said["value"], said["choices"],
    )  # fmt: skip


def test_undecodable_text_can_still_be_answered():
    """
    What a URL's stray bytes become is no JSON, and is replaced.
    """
    _, said = told(BadRequest("no \udcff", field="\udcff", value="a\udcff"))

    assert ("no ?", "?", "a?") == (said["message"], said["field"], said["value"])


def test_headers_that_mean_something_are_kept():
    """
    What is allowed, when to come back, how to authenticate.
    """
    assert "GET" == failure(web.HTTPMethodNotAllowed("PUT", ["GET"])).headers["allow"]
    assert "1" == failure(NoLegAnswered()).headers["retry-after"]
    challenge = {"WWW-Authenticate": "Bearer"}
    assert "Bearer" == failure(web.HTTPUnauthorized(headers=challenge)).headers["www-authenticate"]


@pytest.mark.parametrize(
    "exc",
    [
        LineTooLong("secret", 8190), BadHttpMethod("secret"), BadStatusLine("secret"),
        InvalidURLError("secret"), TransferEncodingError("secret"),
    ],
)  # fmt: skip
def test_what_is_no_http_is_not_repeated(exc: HttpProcessingError):
    """
    It is told what is wrong, in the one shape.
    """
    response = malformed(exc)
    assert isinstance(response.body, bytes)

    assert 400 == response.status
    assert "bad_request" == msgspec.json.decode(response.body)["error"]["code"]
    assert b"secret" not in response.body


def test_an_expectation_is_not_repeated():
    """
    aiohttp's text would.
    """
    _, said = told(unechoed(web.HTTPExpectationFailed(text="Unknown Expect: secret")))

    assert "of expectations, only 100-continue is met" == said["message"]


def test_a_response_without_a_request():
    """
    It is whole, ends the connection, and says when to come back.
    """
    head, _, body = bare(failure(Overloaded())).partition(b"\r\n\r\n")

    assert b"HTTP/1.1 503 Service Unavailable" == head.splitlines()[0]
    assert f"Content-Length: {len(body)}".encode() in head
    assert {b"Retry-After: 1", b"Connection: close"} <= set(head.splitlines())
