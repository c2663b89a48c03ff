from __future__ import annotations

import pytest

from proxy.compat.highlights import highlight
from proxy.errors import BadRequest
from proxy.model import Highlight, HighlightField


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"fields": {"text": {}}}, Highlight((HighlightField("text", 100, 5),))),
        ({"fields": [{"text": {}}, {"title": {"number_of_fragments": 0}}]},
         Highlight((HighlightField("text"), HighlightField("title", 100, 0)))),
        ({"fields": {"a": {}, "b": {"fragment_size": 20}}, "fragment_size": 50,
          "number_of_fragments": 1},
         Highlight((HighlightField("a", 50, 1), HighlightField("b", 20, 1)))),
        ({"fields": {"a": {"type": "unified"}}, "pre_tags": ["<b>"], "post_tags": "</b>"},
         Highlight((HighlightField("a"),), "<b>", "</b>")),
        ({"fields": {"*": {}}}, Highlight((HighlightField("*"),))),
        ({"fields": {}}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_a_highlight_is_read(body, expected):
    """
    What is said for all fields holds where a field says nothing.
    """

    assert expected == highlight(body, "highlight")


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"fields": {"te*": {}}}, "highlight.fields.te*"),
        ({"fields": {"a": {"highlight_query": {}}}}, "highlight.fields.a.highlight_query"),
        ({"fields": {"a": {"fragment_size": 0}}}, "highlight.fields.a.fragment_size"),
        ({"fields": {"a": {"number_of_fragments": 21}}}, "highlight.fields.a.number_of_fragments"),
        ({"fields": {f"f{n}": {} for n in range(17)}}, "highlight.fields"),
        ({"fields": ["a"]}, "highlight.fields[0]"),
        ({"fields": {"a": {}}, "pre_tags": ["<a>", "<b>"]}, "highlight.pre_tags"),
        ({"fields": {"a": {}}, "post_tags": "x" * 101}, "highlight.post_tags"),
        ({"encoder": "html"}, "highlight.encoder"),
        ("text", "highlight"),
    ],
)
def test_what_is_no_highlight(body, path):
    """
    The path names it.
    """
    with pytest.raises(BadRequest) as caught:
        highlight(body, "highlight")

    assert path == caught.value.field
