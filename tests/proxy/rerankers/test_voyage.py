"""The voyage reranker: what is its own."""

from __future__ import annotations

from dataclasses import replace

from proxy.backends import Question
from proxy.rerankers import Shortlist
from proxy.rerankers.voyage import Voyage
from tests.proxy.models.services import Models

PLAIN = Voyage(api_key_env="MODEL_KEY", text=("title",))


async def test_it_asks_as_the_reference_says(models: Models) -> None:
    """
    For every document, cut to the model's budget, and not for their texts, which we have.
    """
    async with replace(PLAIN, url=f"{models.url}/voyage/v1").open("r", "live") as reranker:
        await reranker.score(Question("q"), Shortlist(("a", "b"), {"a": "x", "b": "y"}), {})

    question = {
        "model": "rerank-2.5",
        "query": "q",
        "documents": ["x", "y"],
        "top_k": 2,
        "return_documents": False,
        "truncation": True,
    }
    assert [("/voyage/v1/rerank", question)] == models.asked


def test_whose_it_is() -> None:
    """
    Voyage's; it counts documents.
    """
    assert (True, 7) == (PLAIN.third_party, PLAIN.units(7))
    assert "https://api.voyageai.com/v1" == PLAIN.url
