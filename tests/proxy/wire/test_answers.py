from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec

from proxy.answer import Answer, Degraded
from proxy.backends import Document
from proxy.intake import Received, Refused
from proxy.model import Counting, Highlight, HighlightField, Query, RankedList, TermsFacet
from proxy.served import Served
from proxy.wire.answers import page, received


def served(answered: Mapping[str, Any] = {}, **asked: Any) -> Served:
    nothing: Any = None
    query = Query("token", b"n" * 16, "faq", "q", **asked)
    answer = Answer(
        RankedList(("a", "b", "c"), (0.5, 0.25, None)), 3, (Degraded("rerank", "timeout"),)
    )
    answer = replace(answer, **answered)
    documents = {"b": Document(b'{"title":  "as it is"}', b'{"title": ["<em>it</em>"]}')}
    return Served(nothing, query, 0, nothing, nothing, answer, documents)


def test_a_page_in_json():
    """
    Ranks are absolute, a document is spliced in byte by byte, one that is gone is null.
    """
    raw = page(served(offset=1, size=2), 0.0123456)

    assert b'"source":{"title":  "as it is"}' in raw
    assert {
        "query_id": "token",
        "hits": [
            {"id": "b", "rank": 2, "score": 0.25, "source": {"title": "as it is"}},
            {"id": "c", "rank": 3, "score": None, "source": None},
        ],
        "total": 3,
        "total_relation": "eq",
        "degraded": [{"stage": "rerank", "reason": "timeout"}],
        "took_ms": 12.346,
    } == msgspec.json.decode(raw)


def test_what_was_asked_beside_the_hits():
    """
    Highlights are spliced in, facets are values with counts; a total says how it was counted.
    """
    asked = {
        "highlight": Highlight((HighlightField("*"),)),
        "counting": Counting(1, (TermsFacet("color", "color"),)),
    }
    facets = b'{"color": {"buckets": [{"key": "red", "doc_count": 2}]}}'

    raw = page(served({"at_least": True, "facets": facets}, **asked), 0.1)
    got = msgspec.json.decode(raw)

    assert b'"highlight":{"title": ["<em>it</em>"]}' in raw
    assert [None, {"title": ["<em>it</em>"]}, None] == [hit["highlight"] for hit in got["hits"]]
    assert {"color": [{"value": "red", "count": 2}]} == got["facets"]
    assert (3, "gte") == (got["total"], got["total_relation"])


def test_without_the_primary_leg_nothing_is_counted():
    """
    Facets that were asked for are null, and a total that is null has no relation.
    """
    counting = Counting(facets=(TermsFacet("color", "color"),))

    got = msgspec.json.decode(page(served({"total": None}, counting=counting), 0.1))

    assert (None, None) == (got["total"], got["facets"])
    assert "total_relation" not in got


def test_without_an_impression_there_is_no_query_id():
    """
    No event can be about what was not logged.
    """
    assert None is msgspec.json.decode(page(served(size=0), 0.1))["query_id"]


def test_what_became_of_events():
    """
    What isn't known of a refusal is left out.
    """
    refused = (Refused(1, "mac"), Refused(2, "invalid", "at", "must be an integer"))

    assert {
        "accepted": 1,
        "refused": [
            {"index": 1, "reason": "mac"},
            {"index": 2, "reason": "invalid", "field": "at", "message": "must be an integer"},
        ],
    } == msgspec.json.decode(received(Received(1, 0, refused)))
