"""The schema of an index: what a field accepts, what an index must have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from proxy.backends.embedded.fields import Field, Index


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("text", "a", None),
        ("text", 5, "'5' is not a string"),
        ("text", "\ud800", r"'\ud800' is not a string"),
        ("keyword", True, "'True' is not a string"),
        ("number", 5, None),
        ("number", 5.5, None),
        ("number", "5", "'5' is not a number"),
        ("number", True, "'True' is not a number"),
        ("number", float("nan"), "'nan' is not a number"),
        ("boolean", False, None),
        ("boolean", 0, "'0' is not true or false"),
    ],
)
def test_values_are_typed_strictly(kind: Any, value: object, expected: str | None) -> None:
    """
    "5" is no number, 5 no string and 0 not false.
    """
    assert expected == Field(kind).complaint(value)


def test_a_number_beyond_a_double_is_no_number() -> None:
    """
    An integer of 400 digits is refused, not rounded to infinity.
    """
    assert "is not a number" in str(Field("number").complaint(10**400))


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"a": "x"}, ("x",)),
        ({"a": ["x", "y"]}, ("x", "y")),
        ({"a": []}, ()),
        ({"a": ["x", None]}, ("x",)),
    ],
)
def test_a_field_holds_one_value_or_a_list(document: Any, expected: Any) -> None:
    """
    One value is a list of one; null is none.
    """
    assert expected == Field("keyword").values(document, "a")


@pytest.mark.parametrize("document", [{}, {"a": None}])
def test_only_an_optional_field_may_be_absent(document: Any) -> None:
    """
    Absent and null are the same, and an error unless the field says otherwise.
    """
    assert () == Field("keyword", optional=True).values(document, "a")
    with pytest.raises(ValueError, match="no field 'a'"):
        Field("keyword").values(document, "a")


def test_only_text_has_an_analyzer() -> None:
    """
    An analyzer that would do nothing is refused.
    """
    with pytest.raises(ValueError, match=r"^analyzer: a keyword field has none"):
        Field("keyword", analyzer="english")


def test_an_index_has_something_to_search() -> None:
    """
    Without fields and vectors there is nothing to ask; a vector field has a name of its own.
    """
    with pytest.raises(ValueError, match=r"^fields: "):
        Index(Path("c.jsonl"), ())
    with pytest.raises(ValueError, match=r"^vector_field: "):
        Index(Path("c.jsonl"), (("embedding", Field("text")),), Path("v.npy"))


def test_an_index_is_hashable() -> None:
    """
    Recipes are compared to find what a reload left as it was.
    """
    index = Index(Path("c.jsonl"), (("a", Field("text")), ("b", Field("number"))))

    assert hash(index) == hash(
        Index(Path("c.jsonl"), (("a", Field("text")), ("b", Field("number"))))
    )
    assert ["a"] == index.of_type("text")
