"""Bytes to answers, whoever sent them."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.backends.cluster.answers import MgetAnswer, SearchAnswer
from proxy.backends.cluster.decoding import answered, decoded
from proxy.errors import BackendError

SEARCH: dict[str, Any] = {
    "took": 3,
    "timed_out": False,
    "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
    "hits": {"hits": [{"_index": "faq", "_id": "secret", "_score": 1.5}]},
}
MGET = {"docs": [{"_index": "faq", "_id": "secret", "found": True, "_source": {"a": 1}}]}


def compact(value: object) -> bytes:
    """JSON as engines write it."""
    return json.dumps(value, separators=(",", ":")).encode()


def test_an_answer_is_known_by_its_first_key() -> None:
    """
    Everything else is left to the client that asked for it.
    """
    assert isinstance(decoded(compact(SEARCH)), SearchAnswer)
    assert isinstance(decoded(compact(MGET)), MgetAnswer)
    for other in (b"", b"[]", b"<html>", b'{"error":{},"status":404}', b'{"name":"node-1"}'):
        assert decoded(other) is None


@pytest.mark.parametrize("answer", [SEARCH, MGET])
def test_an_answer_is_read_in_any_form(answer: dict[str, Any]) -> None:
    """
    As bytes, as what a client made of them, with other spaces, and with keys in another order.
    """
    expected = decoded(compact(answer))

    assert expected is answered(expected)
    assert expected == answered(compact(answer))
    assert expected == answered(answer)
    assert type(expected) is type(answered(json.dumps(answer, indent=2).encode()))
    assert expected == answered(dict(reversed(answer.items())))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"", "is not JSON: it begins with ''"),
        (b"<html><body>Bad gateway", "is not JSON: it begins with '<html><body>Bad gateway'"),
        (b"x" * 500, f"is not JSON: it begins with '{'x' * 40}'"),
        (b"\xff\xfe", "is not JSON: it begins with '\ufffd\ufffd'"),
        (compact(SEARCH)[:-9], r"is not whole JSON \(142 bytes\)"),
        (compact(MGET)[:-9], r"is not whole JSON \(\d+ bytes\)"),
        (compact(MGET).replace(b"secret", b"\xff"), "is not whole JSON"),
        (b'{"took":3}', "is not as documented: Object missing required field"),
        (b'{"docs":{}}', r"is not as documented: Expected `array`, got `object` - at `\$.docs`"),
        (b'{"error":{"reason":"secret"}}', "is not as documented: Object missing required field"),
        (b"[" * 100_000, r"is not as documented|is not whole JSON"),
        (b'{"docs":' + b"[" * 100_000, r"is not as documented|is not whole JSON"),
        ("text", r"is not JSON|is not as documented"),
        (7, "is not as documented"),
        (object(), "is not as documented, but of type object"),
    ],
)
def test_what_came_instead_is_told(answer: object, said: str) -> None:
    """
    Without anything of a document.
    """
    with pytest.raises(BackendError, match=said) as raised:
        answered(answer)

    assert "secret" not in str(raised.value)
    assert len(str(raised.value)) < 200


@settings(deadline=None)  # other processes share the cores
@given(data=st.binary() | st.text().map(str.encode))
def test_nothing_else_is_raised(data: bytes) -> None:
    """
    Whatever stands at the other end.
    """
    with pytest.raises(BackendError):
        answered(data)


@settings(deadline=None)  # other processes share the cores
@given(at=st.integers(0, 200), change=st.binary(max_size=3))
def test_a_damaged_answer_is_read_or_refused(at: int, change: bytes) -> None:
    """
    And never anything else.
    """
    whole = compact(SEARCH)
    damaged = whole[:at] + change + whole[at + len(change) :]

    with suppress(BackendError):
        assert answered(damaged)
