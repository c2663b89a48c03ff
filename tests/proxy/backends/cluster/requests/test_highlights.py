"""What is marked in documents."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.backends import Wanted
from proxy.backends.cluster.requests import Engine
from proxy.backends.cluster.requests.highlights import highlight
from proxy.backends.cluster.requests.queries import matching
from proxy.fusion import OpenSearchRRF
from proxy.legs import Leg
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.legs.pushdown import Inner, Pushdown
from proxy.legs.sparse import Sparse
from proxy.legs.template import Template
from proxy.model import Highlight, HighlightField

OPEN = Engine("opensearch", (2, 19))
MARKED = Highlight((HighlightField("title", 0, 0), HighlightField("text", 80, 2)), "<b>", "</b>")
BM25 = Lexical("main", "faq", ("title",))
PHRASE = Template("main", "faq", '{"match_phrase": {"title": "{{query}}"}}')
DENSE = Knn("main", "faq", "embedding")


def wanted(leg: Leg | None) -> Wanted:
    """Marks of what a leg found."""
    return Wanted(highlight=MARKED, leg=leg, text="disk")


def pushed(*legs: tuple[str, Inner]) -> Pushdown:
    """Legs fused by the engine."""
    return Pushdown("main", "faq", legs, OpenSearchRRF(), None, 10, 300)


def test_a_document_is_marked_where_the_text_matches() -> None:
    """
    With the query that found it, and the marks that were asked for.
    """
    assert {
        "pre_tags": ["<b>"],
        "post_tags": ["</b>"],
        "highlight_query": matching(OPEN, BM25, "disk"),
        "fields": {
            "title": {"fragment_size": 0, "number_of_fragments": 0},
            "text": {"fragment_size": 80, "number_of_fragments": 2},
        },
    } == highlight(OPEN, wanted(BM25))


@pytest.mark.parametrize(
    "leg", [None, DENSE, Sparse("main", "faq", "terms", "elser"), pushed(("dense", DENSE))]
)
def test_nothing_is_marked_where_no_words_match(leg: Leg | None) -> None:
    """
    Neighbours have no words in common with the query.
    """
    assert highlight(OPEN, wanted(leg)) is None
    assert highlight(OPEN, Wanted(leg=BM25, text="disk")) is None


def test_a_fused_pipeline_marks_what_its_legs_of_words_match() -> None:
    """
    One of them alone, or any of several.
    """
    one: Any = highlight(OPEN, wanted(pushed(("bm25", BM25), ("dense", DENSE))))
    two: Any = highlight(OPEN, wanted(pushed(("bm25", BM25), ("phrase", PHRASE))))

    assert matching(OPEN, BM25, "disk") == one["highlight_query"]
    assert 2 == len(two["highlight_query"]["bool"]["should"])
