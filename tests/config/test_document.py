"""Tests of config.document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.document import LARGEST, MAX_NESTING, MAX_VALUES, parse


def test_a_sound_document_is_its_values() -> None:
    """
    Mappings, lists and scalars come as they are typed, merges with the mapping's own keys on top.
    """
    document = parse("a: &x {b: 1, c: [yes, ~, 1.5, 'z']}\nd: {<<: *x, b: 2}\n")

    assert {
        "a": {"b": 1, "c": [True, None, 1.5, "z"]},
        "d": {"b": 2, "c": [True, None, 1.5, "z"]},
    } == (document.value)
    assert () == document.problems


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the file: is empty"),
        ("# only a comment\n", "the file: is empty"),
        ("a: [1", "line 1: is no YAML: expected ',' or ']', but got '<stream end>'"),
        ("a: 1\n\tb: 2", "line 2: is no YAML: found character '\\t' that cannot start any token"),
        ("a: 1\n---\nb: 1", "line 2: is no YAML: but found another document"),
        ("a: *nobody", "line 1: is no YAML: found undefined alias 'nobody'"),
        ("a: 1\na: 2", "a: is there twice (line 2)"),
        ("a: {b: 1,\n  b: 1}", "a.b: is there twice (line 2)"),
        ("on: 1", "the file: True is a key but no text: quote it (line 1)"),
        ("a: {404: 1}", "a: 404 is a key but no text: quote it (line 1)"),
        ("a: .nan", "a: nan is no finite number (line 1)"),
        ("a: [1, -.inf]", "a.1: -inf is no finite number (line 1)"),
        ("a: 1.0e+999", "a: inf is no finite number (line 1)"),
        ("a: 99999999999999999999", "a: 99999999999999999999 is too large a number (line 1)"),
        ("a: 2024-01-01", "is read as a date: quote it (line 1)"),
        ("a: 2024-99-99", "a: cannot be read as tag:yaml.org,2002:timestamp (line 1)"),
        ("a: !!python/object:os.system x", "a: cannot be read as tag:yaml.org,2002:python/object"),
        ('a: "\\ud800"', "a: '\\ud800' holds characters that are no text (line 1)"),
        ('a: "\\0"', "a: '\\x00' holds characters that are no text (line 1)"),
        ("\x00", "the file: is no YAML: unacceptable character #x0000"),
        ("a: {<<: 1}", "a.<<: merges what is no mapping (line 1)"),
        ("a: &a [*a]", f"the file: is nested deeper than {MAX_NESTING} levels"),
        ("[" * 5000, f"the file: is nested deeper than {MAX_NESTING} levels"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(text: str, problem: str) -> None:
    """
    Each trap of YAML is a problem that says where it is.
    """
    (found,) = parse(text).problems

    assert problem in found


def test_aliases_of_aliases_are_refused_quickly() -> None:
    """
    A few lines that come to a billion values are stopped at the count of values.
    """
    lines = ["a0: &a0 [1,1,1,1,1,1,1,1,1,1]"]
    lines += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]

    document = parse("\n".join(lines))

    assert None is document.value
    assert (f"the file: comes to more than {MAX_VALUES} values (aliases of aliases?)",) == (
        document.problems
    )


def test_what_could_not_be_read_is_remembered() -> None:
    """
    The place is kept, so that the value that is missing there is no second problem.
    """
    document = parse("a: {b: .inf, c: 1}")

    assert {("a", "b")} == document.unread
    assert {"a": {"b": None, "c": 1}} == document.value


@given(st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    """
    Whatever stands in a file, there is an answer: values or problems.
    """
    document = parse(text)

    assert (
        document.problems
        or document.value is None
        or isinstance(document.value, str | bool | int | float | list | dict)
    )


@given(st.integers(-LARGEST + 1, LARGEST - 1))
def test_a_number_that_fits_is_read(number: int) -> None:
    """
    64 bits are enough for every knob.
    """

    assert {"a": number} == parse(f"a: {number}").value
