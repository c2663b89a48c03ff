"""The tei reranker: what is its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.backends import Question
from proxy.errors import BackendError
from proxy.rerankers import Shortlist
from proxy.rerankers.tei import Tei
from tests.proxy.models.services import Models, score, status

IDS = tuple(f"d{number}" for number in range(70))
TEXTS = {doc: f"fork number {doc}" if at % 3 else f"spoon {doc}" for at, doc in enumerate(IDS)}


@pytest.fixture
def recipe(models: Models) -> Tei:
    """The server of the test's services."""
    return Tei(url=f"{models.url}/tei", model="bge-reranker-base", text=("title",))


async def test_it_asks_as_the_published_schema_says(models: Models, recipe: Tei) -> None:
    """
    For raw scores, and that the server cuts texts to its model's budget.
    """
    async with recipe.open("r", "live") as reranker:
        await reranker.score(Question("fork"), Shortlist(("a",), {"a": "a fork"}), {})

    question = {"query": "fork", "texts": ["a fork"], "raw_scores": True, "truncate": True}
    assert [("/tei/rerank", question)] == models.asked


async def test_a_long_list_goes_in_several_calls(models: Models, recipe: Tei) -> None:
    """
    The server refuses more than 32 texts a call unless told otherwise; each document has its own
    score all the same.
    """
    async with recipe.open("r", "live") as reranker:
        found = await reranker.score(Question("fork d7"), Shortlist(IDS, TEXTS), {})

    assert {doc: score("fork d7", text) for doc, text in TEXTS.items()} == found
    assert [6, 32, 32] == sorted(len(asked["texts"]) for _, asked in models.asked)


async def test_one_part_that_fails_fails_the_list(models: Models, recipe: Tei) -> None:
    """
    And what is still asked for the other parts is left.
    """
    models.fault = status(429, {"error": "busy", "error_type": "Overloaded"})
    async with replace(recipe, concurrency=1).open("r", "live") as reranker:
        with pytest.raises(BackendError, match="429"):
            await reranker.score(Question("fork"), Shortlist(IDS, TEXTS), {})

    assert len(models.asked) <= 3


@pytest.mark.parametrize("index", [32, 33, -1])
async def test_an_index_of_another_part_is_none(models: Models, recipe: Tei, index: int) -> None:
    """
    It would be somebody else's score.
    """

    def beyond(answer: Any) -> Any:
        answer[0]["index"] = index
        return answer

    models.spoil = beyond
    async with recipe.open("r", "live") as reranker:
        with pytest.raises(BackendError, match="index -1"):
            await reranker.score(Question("fork"), Shortlist(IDS, TEXTS), {})


def test_it_is_in_the_house_and_counts_documents(recipe: Tei) -> None:
    """
    Unless the operator rents it.
    """
    assert (False, 70) == (recipe.third_party, recipe.units(70))
    assert replace(recipe, in_house=False).third_party
    with pytest.raises(ValueError, match=r"^batch: 0 "):
        replace(recipe, batch=0)
    assert recipe.identity == replace(recipe, batch=1).identity
