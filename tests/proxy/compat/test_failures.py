from __future__ import annotations

import pytest
from aiohttp import web

from proxy.compat.failures import Refused, failure
from proxy.compat.recognition import Unrecognised
from proxy.errors import BackendTimeout, BadRequest, NoLegAnswered, TooLarge, UnknownRoute


@pytest.mark.parametrize(
    ("exc", "status", "kind", "reason"),
    [
        (Refused("no", field="query.x"), 403, "unrecognised_request_exception", "[query.x] no"),
        (Refused.of(Unrecognised("a", "no")), 403, "unrecognised_request_exception", "[a] no"),
        (BadRequest("bad", choices=("a", "b")), 400, "illegal_argument_exception",
         "bad; recognised: a, b"),
        (TooLarge("big"), 413, "content_too_long_exception", "big"),
        (UnknownRoute("none"), 404, "resource_not_found_exception", "none"),
        (NoLegAnswered("rrf60: bm25 at http://10.0.0.1"), 503, "search_phase_execution_exception",
         "no part of the search answered in time"),
        (BackendTimeout("http://10.0.0.1 was slow"), 502, "search_phase_execution_exception",
         "the search engine failed"),
        (web.HTTPMethodNotAllowed("PUT", ["GET"]), 405, "method_not_allowed_exception",
         "405: Method Not Allowed"),
        (ValueError("a secret"), 500, "exception", "an internal error"),
    ],
)  # fmt: skip
def test_every_error_has_the_engine_s_shape(exc, status, kind, reason):
    """
    And says nothing of what is behind this proxy.
    """
    said = failure(exc)

    assert (status, kind, reason) == (said.status, said.error.type, said.error.reason)
    assert [(kind, reason)] == [(each.type, each.reason) for each in said.error.root_cause]


def test_what_is_no_text_is_replaced():
    """
    Undecodable bytes in a URL become lone surrogates.
    """

    assert "[index ?] no" == failure(Refused("no", field="index \udcff")).error.reason
