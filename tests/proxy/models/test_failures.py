"""Statuses of model services as errors of ours."""

from __future__ import annotations

import pytest

from proxy.errors import BackendError, BackendRefused, BackendTimeout
from proxy.models.failures import code, refusal


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (301, BackendError), (307, BackendError), (400, BackendRefused), (401, BackendRefused),
        (402, BackendRefused), (404, BackendRefused), (408, BackendTimeout), (413, BackendRefused),
        (422, BackendRefused), (424, BackendError), (429, BackendError), (500, BackendError),
        (503, BackendError), (504, BackendTimeout), (204, BackendError),
    ],
)  # fmt: skip
def test_a_status_is_an_error_of_ours(status: int, expected: type[BackendError]) -> None:
    """
    Refused is what somebody must look at: neither an overload nor a model that failed.
    """
    assert type(refusal(status)) is expected
    assert f"HTTP {status} (why)" == str(refusal(status, "why"))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"error": {"code": "invalid_api_key", "type": "x_y"}}', "invalid_api_key"),
        (b'{"error": {"code": null, "type": "server_error"}}', "server_error"),
        (b'{"error": "told", "error_type": "Tokenizer"}', "Tokenizer"),
        (b'{"error": {"code": "what the user asked"}}', None),
        (b'{"error": {"code": "sk-1234567890"}}', None),
        (b'{"error": {"code": 42}}', None),
        (b'{"detail": "no"}', None),
        (b"[1]", None),
        (b"<html>", None),
        (b"\xff\xfe", None),
        (b"", None),
    ],
)
def test_only_a_word_is_repeated_of_an_error(body: bytes, expected: str | None) -> None:
    """
    Messages repeat texts and keys; codes don't.
    """
    assert expected == code(body)
