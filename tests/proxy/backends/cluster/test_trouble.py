"""What a failure means, and to whom."""

from __future__ import annotations

import json
import ssl

import aiohttp
import pytest

from proxy.backends.cluster.trouble import (
    Kind,
    NotJson,
    Redirected,
    Stale,
    TooLarge,
    Trouble,
    refusal,
    trouble_of,
)
from proxy.errors import BackendError, BackendRefused, BackendTimeout


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (Stale(), Kind.STALE),
        (TooLarge(), Kind.TOO_LARGE),
        (Redirected(), Kind.REDIRECT),
        (NotJson(200), Kind.NO_JSON),
        (aiohttp.ConnectionTimeoutError(), Kind.UNREACHABLE),
        (TimeoutError(), Kind.TIMEOUT),
        (aiohttp.ClientPayloadError(), Kind.HALF),
        (aiohttp.ServerDisconnectedError(), Kind.BROKEN),
        (aiohttp.ClientOSError(), Kind.BROKEN),
        (ssl.SSLError(), Kind.TLS),
        (Exception("whatever"), Kind.BROKEN),
    ],
)
def test_what_a_failure_is(cause: Exception, kind: Kind) -> None:
    """
    First row of the table wins.
    """
    assert kind is trouble_of(cause).kind


@pytest.mark.parametrize(
    ("trouble", "error", "said"),
    [
        (Trouble(Kind.TIMEOUT), BackendTimeout, "no answer in time"),
        (Trouble(Kind.REFUSED), BackendError, "it takes no connection"),
        (Trouble(Kind.NO_JSON, 200), BackendError, "the engine answered 200 no JSON"),
        (Trouble(Kind.NO_JSON, 401), BackendRefused, "the engine answered 401 no JSON"),
        (Trouble(Kind.STATUS, 400, "parsing_exception"), BackendRefused, "400 parsing_exception"),
        (Trouble(Kind.STATUS, 401), BackendRefused, "the engine answered 401"),
        (Trouble(Kind.STATUS, 403), BackendRefused, "the engine answered 403"),
        (Trouble(Kind.STATUS, 404), BackendRefused, "the engine answered 404"),
        (Trouble(Kind.STATUS, 408), BackendTimeout, "the engine answered 408"),
        (Trouble(Kind.STATUS, 429), BackendError, "the engine answered 429"),
        (Trouble(Kind.STATUS, 500), BackendError, "the engine answered 500"),
        (Trouble(Kind.STATUS, 503), BackendError, "the engine answered 503"),
    ],
)
def test_what_it_means_to_who_asked(trouble: Trouble, error: type[BackendError], said: str) -> None:
    """
    Slow, refused, or failed: three decisions.
    """
    told = trouble.error()

    assert error is type(told)
    assert said in str(told)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"error": {"type": "parsing_exception", "reason": "[secret]"}}, "parsing_exception"),
        (
            {
                "error": {
                    "type": "search_phase_execution_exception",
                    "root_cause": [{"type": "query_shard_exception", "reason": "secret"}],
                }
            },
            "query_shard_exception",
        ),
        ({"error": {"type": "search_phase_execution_exception", "root_cause": []}},
         "search_phase_execution_exception"),
        ({"error": {"type": "no word: secret"}}, ""),
        ({"error": "secret"}, ""),
        ({"message": "secret"}, ""),
        ([], ""),
        ("half {", ""),
    ],
)  # fmt: skip
def test_of_a_refusal_only_its_type_is_kept(body: object, code: str) -> None:
    """
    A reason may repeat the query, and errors are logged.
    """
    encoded = body.encode() if isinstance(body, str) else json.dumps(body).encode()

    told = refusal(400, encoded)

    assert (400, code) == (told.status, told.code)
    assert "secret" not in repr(told) + str(told.error())
