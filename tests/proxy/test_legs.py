"""Tests of proxy.legs: what legs have in common."""

from __future__ import annotations

from proxy.fusion.os_rrf import OpenSearchRRF
from proxy.legs import counts_text, embedder_of, takes_vector
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.legs.neural import Neural
from proxy.legs.pushdown import Inner, Pushdown
from proxy.legs.sparse import Sparse
from proxy.legs.template import Template

WORDS = Lexical("main", "faq", ("title",))
NEAR = Knn("main", "faq", "embedding", "mini")
TERMS = Sparse("main", "faq", "terms", "elser")


def pushed(*legs: Inner) -> Pushdown:
    """Legs that the engine fuses."""
    named = tuple((f"leg{at}", leg) for at, leg in enumerate(legs))
    return Pushdown("main", "faq", named, OpenSearchRRF(), None, 100, 300)


def test_a_pushdown_asks_with_the_vector_of_its_knn_leg() -> None:
    """
    Without one it asks with the text alone.
    """

    assert ("mini", True) == (embedder_of(pushed(WORDS, NEAR)), takes_vector(pushed(WORDS, NEAR)))
    assert (None, False) == (embedder_of(pushed(WORDS, TERMS)), takes_vector(pushed(WORDS, TERMS)))


def test_only_words_count_what_matches() -> None:
    """
    What is near has no border.
    """
    template = Template("main", "faq", '{"match": {"title": "{{query}}"}}')
    neural = Neural("main", "faq", "embedding", "m")

    assert all(map(counts_text, (WORDS, template)))
    assert not any(map(counts_text, (NEAR, TERMS, neural, pushed(WORDS, NEAR))))
