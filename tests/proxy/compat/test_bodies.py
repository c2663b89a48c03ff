from __future__ import annotations

import pytest

from proxy.compat import bodies
from proxy.errors import BadRequest


def test_an_empty_body_says_nothing():
    """
    Clients send none where all is default.
    """

    assert {} == bodies.document(b" \n")
    assert {"a": 1} == bodies.document(b'{"a": 1}')


def test_searches_come_in_pairs():
    """
    With or without a newline at the end.
    """
    raw = b'{"index": "a"}\n{"size": 1}\n{}\n{"size": 2}'
    expected = [({"index": "a"}, {"size": 1}), ({}, {"size": 2})]

    assert expected == bodies.searches(raw)
    assert expected == bodies.searches(raw + b"\n")


def test_an_empty_header_may_be_an_empty_line():
    """
    As engines read it.
    """

    assert [({}, {"size": 1})] == bodies.searches(b'\n{"size": 1}\n')


@pytest.mark.parametrize(
    "raw",
    [b"", b"\n", b"{}\n", b"{}\n{}\n{}", b"{}\n{\n", b"{}\n" + b"[" * 40 + b"]" * 40,
     b"{}\n{}\n" * 21],
)  # fmt: skip
def test_what_is_not_lines_of_searches(raw):
    """
    A half pair, a half line, a nest, or too many.
    """
    with pytest.raises(BadRequest):
        bodies.searches(raw)
