from __future__ import annotations

import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.errors import BadRequest
from proxy.wire import checks

NOT_JSON = [
    b"",
    b"{",
    b"nan",
    b"NaN",
    b"1e999",
    b'"\\ud800"',
    b'"\\ud800x"',
    b'"\xff"',
    b"[" * 9_999,
]


@pytest.mark.parametrize("raw", NOT_JSON)
def test_what_is_no_json(raw: bytes):
    """
    Truncated, infinite, surrogate, undecodable or too deep: one clear error.
    """
    with pytest.raises(BadRequest, match="not valid JSON"):
        checks.decoded(raw)


@given(st.binary())
def test_no_body_makes_it_raise_anything_else(raw: bytes):
    """
    A stranger's bytes are a value or a BadRequest.
    """
    with suppress(BadRequest):
        checks.decoded(raw)


def test_of_duplicate_keys_the_last_counts():
    """
    As everywhere in Python.
    """
    assert {"a": 2} == checks.decoded(b'{"a": 1, "a": 2}')


@pytest.mark.parametrize("value", [None, 1, True, [], {}, "a" * 11, "a\0b", "\ud800"])
def test_what_is_no_text(value: object):
    """
    Other types, too many characters, NULs and lone surrogates are refused by field.
    """
    with pytest.raises(BadRequest) as caught:
        checks.text(value, "query", 10)

    assert "query" == caught.value.field


@pytest.mark.parametrize("value", ["", "é", "\U0001f600" * 10, "a\nb"])
def test_what_is_text(value: str):
    """
    Anything that can be stored and sent on, counted in characters.
    """
    assert value == checks.text(value, "query", 10)


@pytest.mark.parametrize("value", [-1, 101, 10**6, 10**30, 1.0, True, "1", None, math.nan])
def test_what_is_no_whole_number_within_bounds(value: object):
    """
    Neither 1.0 nor true is an integer, and bounds are bounds.
    """
    with pytest.raises(BadRequest) as caught:
        checks.whole(value, "size", 0, 100)

    assert "size" == caught.value.field


@pytest.mark.parametrize("value", [None, [], {}, 2**63, "a" * 6])
def test_what_is_no_scalar(value: object):
    """
    A filter compares with a string, a number or a boolean.
    """
    with pytest.raises(BadRequest):
        checks.scalar(value, "filters[0]", 5)


@pytest.mark.parametrize("value", ["a", "", 1, -1.5, True])
def test_what_is_a_scalar(value: object):
    """
    They come back as they are.
    """
    assert value is checks.scalar(value, "filters[0]", 5)


@pytest.mark.parametrize(
    "value",
    [
        "1,2,3", {}, [], [1, 2], [1, 2, 3, 4], [1, 2, "3"], [1, 2, True], [1, 2, None],
        [1, 2, math.nan], [1, 2, math.inf], [1, 2, 1e39], [1, 2, 10**400], [0, 0, 0.0], [[1], 2, 3],
    ],
)  # fmt: skip
def test_what_is_no_vector(value: object):
    """
    Of the wrong length, not numbers, not finite in float32, or without a direction.
    """
    with pytest.raises(BadRequest):
        checks.vector(value, "vector", 3, 4)


def test_what_is_a_vector():
    """
    Integers are numbers, too; without a known length only the bound counts.
    """
    assert (1.0, 0.5, -2.0) == checks.vector([1, 0.5, -2], "vector", 3, 4)
    assert (1.0, 2.0) == checks.vector([1, 2], "vector", None, 4)
    with pytest.raises(BadRequest):
        checks.vector([1] * 5, "vector", None, 4)


def test_unknown_keys_name_the_choices():
    """
    Who mistypes a key learns which there are.
    """
    with pytest.raises(BadRequest) as caught:
        checks.known({"sise": 1}, ("query", "size"))

    assert ("sise", ("query", "size")) == (caught.value.field, caught.value.choices)
