"""Tests of config.durations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from config.durations import UNITS, Seconds, seconds


@given(st.integers(0, 10**6), st.sampled_from(sorted(UNITS)))
def test_a_span_is_its_number_times_its_unit(number: int, unit: str) -> None:
    """
    Every whole number with every unit is that many of the unit's seconds.
    """

    assert number * UNITS[unit] == seconds(f"{number}{unit}")


@pytest.mark.parametrize(
    "text", ["", "s", "30", "-1s", "30 s", "30S", "1h30m", "1e3s", ".5s", "\u0663s"]
)
def test_anything_else_is_no_span(text: str) -> None:
    """
    A number and one unit is all there is: no sign, no space, no second unit, no other digits.
    """
    with pytest.raises(ValueError, match="a number and a unit"):
        seconds(text)


def test_a_bare_number_is_seconds_in_code_and_refused_in_a_file() -> None:
    """
    The unit is asked of people only.
    """
    spans = TypeAdapter(Seconds)

    assert 30.0 == spans.validate_python(30.0)
    assert 30.0 == spans.validate_json('"30s"')
    with pytest.raises(ValidationError, match="needs a unit"):
        spans.validate_json("30")


@pytest.mark.parametrize("text", ['"0s"', "null", "[]", '"5"'])
def test_a_span_in_a_file_is_positive_text(text: str) -> None:
    """
    Nothing, zero and other types are refused.
    """
    with pytest.raises(ValidationError):
        TypeAdapter(Seconds).validate_json(text)
