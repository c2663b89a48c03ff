"""Tests of config.named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from config.named import Named, Options, Pairs, Routes, freeze, thaw

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
def test_freezing_loses_nothing_and_makes_hashable(value: object) -> None:
    """
    Thawed, a frozen value is what it was; an empty mapping and a list of pairs stay themselves.
    """
    frozen = freeze(value)

    assert isinstance(hash(frozen), int)
    assert value == thaw(frozen)


def test_a_list_of_pairs_is_no_mapping() -> None:
    """
    What would look alike as tuples is told apart by type.
    """

    assert [["a", 1]] == thaw(freeze([["a", 1]]))
    assert {"a": 1} == thaw(freeze({"a": 1}))


def test_named_things_keep_the_file_s_order() -> None:
    """
    A mapping becomes pairs, from JSON and from code alike.
    """
    numbers = TypeAdapter(Named[int])

    assert (("b", 1), ("a", 2)) == numbers.validate_json('{"b": 1, "a": 2}')
    assert Pairs((("b", 1),)) == numbers.validate_python((("b", 1),))


@pytest.mark.parametrize("name", ["", "a b", "-a", "a/b", "a" * 65, "é", "a\\nb", "a\\n"])
def test_a_name_is_letters_digits_and_a_few_signs(name: str) -> None:
    """
    Names become labels, keys and parts of messages.
    """
    with pytest.raises(ValidationError, match="should match pattern"):
        TypeAdapter(Named[int]).validate_json(f'{{"{name}": 1}}')


@pytest.mark.parametrize("name", ["FAQ", "a.b", "a" * 33])
def test_a_route_s_name_must_do_in_a_url(name: str) -> None:
    """
    Routes are narrower: lower case, no dots, 32 characters.
    """
    TypeAdapter(Named[int]).validate_json(f'{{"{name}": 1}}')

    with pytest.raises(ValidationError, match="should match pattern"):
        TypeAdapter(Routes[int]).validate_json(f'{{"{name}": 1}}')


def test_options_may_hold_anything_and_are_frozen() -> None:
    """
    Options are not read here, but they are hashable all the same.
    """
    options = TypeAdapter(Options).validate_json('{"any key": {"x": [1, {"y": null}]}}')

    assert isinstance(hash(options), int)
    assert {"any key": {"x": [1, {"y": None}]}} == thaw(options)
