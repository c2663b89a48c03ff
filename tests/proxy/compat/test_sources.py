from __future__ import annotations

import pytest

from proxy.compat.sources import sources
from proxy.errors import BadRequest
from proxy.model import Sources


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, Sources()),
        (True, Sources()),
        (False, Sources(())),
        ("text", Sources(("text",))),
        (["text", "meta.*"], Sources(("text", "meta.*"))),
        ([], Sources()),
        ({"includes": ["a"], "excludes": "b"}, Sources(("a",), ("b",))),
        ({"exclude": ["b"]}, Sources(None, ("b",))),
        ({"include": "a"}, Sources(("a",))),
        ({}, Sources()),
    ],
)
def test_what_is_shown(value, expected):
    """
    Every spelling that engines know.
    """

    assert expected == sources(value, "_source")


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (1, "_source"),
        ([1], "_source"),
        ("", "_source"),
        (["a"] * 65, "_source"),
        ({"script": "1"}, "_source.script"),
        ({"includes": [{}]}, "_source.includes"),
    ],
)
def test_what_shows_nothing(value, path):
    """
    The path names it.
    """
    with pytest.raises(BadRequest) as caught:
        sources(value, "_source")

    assert path == caught.value.field
