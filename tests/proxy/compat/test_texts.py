from __future__ import annotations

import pytest

from proxy.compat.texts import TEXTS
from proxy.errors import BadRequest
from proxy.wire.search import MAX_QUERY


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("match", {"title": "red apple"}),
        ("match", {"title": {"query": "red apple", "operator": "and", "fuzziness": "AUTO"}}),
        ("match", {"title": {"query": "red apple", "boost": 2, "analyzer": "english"}}),
        ("match_phrase", {"title": "red apple"}),
        ("match_phrase", {"title": {"query": "red apple", "slop": 2}}),
        ("multi_match", {"query": "red apple", "fields": ["title^3", "text"]}),
        ("multi_match", {"query": "red apple", "type": "cross_fields", "tie_breaker": 0.3}),
        ("simple_query_string", {"query": "red apple", "default_operator": "and", "flags": "ALL"}),
        ("combined_fields", {"query": "red apple", "fields": ["title"], "operator": "and"}),
    ],
)
def test_the_text_of_a_clause(kind, body):
    """
    Whatever else it says, the text is what the pipelines search for.
    """

    assert "red apple" == TEXTS[kind](body, kind)


@pytest.mark.parametrize(
    ("kind", "body", "path"),
    [
        ("match", "apple", "match"),
        ("match", {}, "match"),
        ("match", {"a": "x", "b": "y"}, "match"),
        ("match", {"a": {"query": "x", "script": 1}}, "match.a.script"),
        ("match", {"a": {"query": 1}}, "match.a.query"),
        ("match", {"a": {}}, "match.a.query"),
        ("match", {"a": "  "}, "match.a"),
        ("match", {"a": ["x"]}, "match.a"),
        ("match", {"a": "x" * (MAX_QUERY + 1)}, "match.a"),
        ("match", {"a": "x\0"}, "match.a"),
        ("match_phrase", {"a": {"query": "x", "fuzziness": 1}}, "match_phrase.a.fuzziness"),
        ("multi_match", {"query": "x", "_name": "n"}, "multi_match._name"),
        ("multi_match", {"fields": []}, "multi_match.query"),
        ("simple_query_string", {"query": ""}, "simple_query_string.query"),
        ("combined_fields", {"query": "x", "type": "phrase"}, "combined_fields.type"),
    ],
)
def test_what_a_text_clause_may_not_say(kind, body, path):
    """
    The path names it.
    """
    with pytest.raises(BadRequest) as caught:
        TEXTS[kind](body, kind)

    assert path == caught.value.field
