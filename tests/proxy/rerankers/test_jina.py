"""The jina reranker: what is its own."""

from __future__ import annotations

from dataclasses import replace

from proxy.backends import Question
from proxy.rerankers import Shortlist
from proxy.rerankers.jina import Jina
from tests.proxy.models.services import Models

PLAIN = Jina(api_key_env="MODEL_KEY", text=("title",))


async def test_it_asks_as_the_reference_says(models: Models) -> None:
    """
    For every document, and not for their texts, which we have.
    """
    async with replace(PLAIN, url=f"{models.url}/jina/v1").open("r", "live") as reranker:
        await reranker.score(Question("q"), Shortlist(("a", "b"), {"a": "x", "b": "y"}), {})

    question = {
        "model": "jina-reranker-v2-base-multilingual",
        "query": "q",
        "documents": ["x", "y"],
        "top_n": 2,
        "return_documents": False,
    }
    assert [("/jina/v1/rerank", question)] == models.asked


async def test_a_server_that_tells_more_is_understood(models: Models) -> None:
    """
    Others of this shape repeat the documents.
    """
    models.spoil = lambda answer: {
        "id": "1",
        "results": [{**each, "document": {"text": "x"}} for each in answer["results"]],
    }
    recipe = replace(PLAIN, url=f"{models.url}/jina/v1", api_key_env=None, in_house=True)
    async with recipe.open("r", "live") as reranker:
        found = await reranker.score(Question("x"), Shortlist(("a",), {"a": "x"}), {})

    assert {"a": 1.0} == found
    assert "Authorization" not in models.headers[0]


def test_whose_it_is() -> None:
    """
    Jina's unless the operator says that it is his own; it counts documents.
    """
    assert (True, 7) == (PLAIN.third_party, PLAIN.units(7))
    assert "https://api.jina.ai/v1" == PLAIN.url
