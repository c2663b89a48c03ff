from __future__ import annotations

import pytest

from proxy.compat import shapes
from proxy.errors import BadRequest


def test_a_path_repeats_no_more_of_a_key_than_tells_it_apart():
    """
    A client's key can be as long as its body.
    """

    assert "query." + "k" * 60 == shapes.at("query", "k" * 1000)


def test_a_key_that_is_not_known_is_named_with_its_choices():
    """
    Where it stands, and what could stand there.
    """
    with pytest.raises(BadRequest) as caught:
        shapes.only({"a": 1, "z": 2}, "sort", ("b", "a"))

    assert ("sort.z", ("a", "b")) == (caught.value.field, caught.value.choices)


def test_one_clause_or_several_stand_under_a_key():
    """
    Each has its path.
    """

    assert [("q.must", {})] == list(shapes.clauses({"must": {}}, "must", "q"))
    assert [("q.must[0]", 1)] == list(shapes.clauses({"must": [1]}, "must", "q"))
    assert [] == list(shapes.clauses({}, "must", "q"))


@pytest.mark.parametrize(
    ("read", "value"),
    [
        (lambda value: shapes.pair(value, "p"), {"a": 1, "b": 2}),
        (lambda value: shapes.pair(value, "p"), {}),
        (lambda value: shapes.pair(value, "p"), "a"),
        (lambda value: shapes.listed(value, "p", 2), [1, 2, 3]),
        (lambda value: shapes.listed(value, "p", 2), {}),
        (lambda value: shapes.field(value, "p", ("a",)), "b"),
        (lambda value: shapes.field(value, "p", ("a",)), ["a"]),
        (lambda value: shapes.flag(value, "p"), 1),
    ],
)
def test_a_value_of_another_shape_is_refused(read, value):
    """
    With the path where it stands.
    """
    with pytest.raises(BadRequest) as caught:
        read(value)

    assert "p" == caught.value.field
