from __future__ import annotations

from typing import Any

import pytest

from proxy.errors import BadRequest
from proxy.model import Highlight, HighlightField, Sources
from proxy.wire import shown


def test_fields_are_paths_and_patterns():
    """
    An empty list wants no source.
    """
    assert Sources(("title", "author.*")) == shown.fields(["title", "author.*"])
    assert Sources(()) == shown.fields([])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (True, Highlight((HighlightField("*"),))),
        (False, None),
        (["title", "b*"], Highlight((HighlightField("title"), HighlightField("b*")))),
        ({}, Highlight((HighlightField("*"),))),
        (
            {"fields": ["title"], "pre_tag": "<b>", "post_tag": "</b>"},
            Highlight((HighlightField("title"),), "<b>", "</b>"),
        ),
        ({"pre_tag": ""}, Highlight((HighlightField("*"),), "")),
    ],
)
def test_highlights_are_of_the_fields_searched_or_of_those_named(
    given: Any, expected: Highlight | None
):
    """
    A match stands between <em> and </em> unless it says otherwise.
    """
    assert expected == shown.highlight(given)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"fields": "title"}, "fields"),
        ({"fields": {"title": {}}}, "fields"),
        ({"fields": ["a"] * 65}, "fields"),
        ({"fields": ["a", ""]}, "fields[1]"),
        ({"fields": [1]}, "fields[0]"),
        ({"fields": ["a" * 201]}, "fields[0]"),
        ({"highlight": 1}, "highlight"),
        ({"highlight": "title"}, "highlight"),
        ({"highlight": []}, "highlight"),
        ({"highlight": ["a"] * 17}, "highlight"),
        ({"highlight": [""]}, "highlight[0]"),
        ({"highlight": {"size": 3}}, "highlight"),
        ({"highlight": {"fields": {"a": {}}}}, "highlight.fields"),
        ({"highlight": {"fields": []}}, "highlight.fields"),
        ({"highlight": {"pre_tag": None}}, "highlight.pre_tag"),
        ({"highlight": {"post_tag": "x" * 101}}, "highlight.post_tag"),
    ],
)
def test_what_is_wrong_is_named(given: dict[str, Any], field: str):
    """
    Lists have bounds, and names aren't empty.
    """
    ((key, value),) = given.items()

    with pytest.raises(BadRequest) as caught:
        {"fields": shown.fields, "highlight": shown.highlight}[key](value)

    assert field == caught.value.field


def test_stars_are_counted():
    """
    Patterns are looked for in every path of every document, on the loop.
    """
    with pytest.raises(BadRequest, match="has 129 stars; 128 are allowed"):
        shown.fields(["*" * 64, "a*" * 65])
