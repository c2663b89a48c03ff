"""The cohere reranker: what is its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proxy.backends import Question
from proxy.rerankers import Shortlist
from proxy.rerankers.cohere import Cohere
from tests.proxy.models.services import Models

PLAIN = Cohere(api_key_env="MODEL_KEY", text=("title",))


async def test_it_asks_for_every_document(models: Models) -> None:
    """
    `top_n` is the number sent, so that none is left without a score.
    """
    async with replace(PLAIN, url=f"{models.url}/cohere").open("r", "live") as reranker:
        await reranker.score(Question("q"), Shortlist(("a", "b"), {"a": "x", "b": "y"}), {})

    assert [
        (
            "/cohere/v2/rerank",
            {"model": "rerank-v3.5", "query": "q", "documents": ["x", "y"], "top_n": 2},
        )
    ] == models.asked


async def test_two_hundred_by_default_and_never_more_than_asked(models: Models) -> None:
    """
    A longer list's rest follows in fused order.
    """
    ids = tuple(f"d{number}" for number in range(300))
    texts = dict.fromkeys(ids, "some words")

    async with replace(PLAIN, url=f"{models.url}/cohere").open("r", "live") as reranker:
        found = await reranker.score(Question("words"), Shortlist(ids, texts), {})

    assert list(ids[:200]) == sorted(found, key=ids.index)
    assert 1_000 == replace(PLAIN, top=1_000).top
    with pytest.raises(ValueError, match=r"^top: 1001 is not from 1 to 1000"):
        replace(PLAIN, top=1_001)


@pytest.mark.parametrize(("documents", "units"), [(0, 0), (1, 1), (100, 1), (101, 2), (1000, 10)])
def test_it_is_billed_by_search_units(documents: int, units: int) -> None:
    """
    One for every 100 documents begun.
    """
    assert units == PLAIN.units(documents)


async def test_a_server_of_ones_own_may_want_no_key(models: Models) -> None:
    """
    None says so; leaving the option out is a mistake.
    """
    recipe = replace(PLAIN, url=f"{models.url}/cohere", api_key_env=None, in_house=True)
    async with recipe.open("r", "live") as reranker:
        await reranker.score(Question("q"), Shortlist(("a",), {"a": "x"}), {})

    assert "Authorization" not in models.headers[0]
    assert (True, False) == (PLAIN.third_party, recipe.third_party)
    with pytest.raises(TypeError, match="api_key_env"):
        Cohere(text=("title",))  # type: ignore[call-arg]  # what the build refuses by the schema
