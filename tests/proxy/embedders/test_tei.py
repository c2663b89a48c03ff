"""The tei embedder: what is its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.embedders.tei import Tei
from proxy.errors import BackendError, BackendRefused
from tests.proxy.models.services import Models, status


@pytest.fixture
def recipe(models: Models) -> Tei:
    """The server of the test's services."""
    return Tei(url=f"{models.url}/tei", model="bge-small-en-v1.5")


async def test_it_asks_as_the_published_schema_says(models: Models, recipe: Tei) -> None:
    """
    Cut to the model's budget, and of length one, as the server does by itself.
    """
    async with recipe.open("e", "live") as embedder:
        found = await embedder.embed("fox")

    assert [("/tei/embed", {"inputs": ["fox"], "normalize": True, "truncate": True})] == (
        models.asked
    )
    assert pytest.approx(1, abs=1e-6) == float(found @ found)


@pytest.mark.parametrize(
    ("error_type", "code", "expected"),
    [
        ("Overloaded", 429, BackendError), ("Backend", 424, BackendError),
        ("Unhealthy", 503, BackendError), ("Validation", 413, BackendRefused),
        ("Tokenizer", 422, BackendRefused), ("Empty", 400, BackendRefused),
    ],
)  # fmt: skip
async def test_its_own_word_for_an_error_is_told(
    models: Models, recipe: Tei, error_type: str, code: int, expected: type[BackendError]
) -> None:
    """
    All that its schema has; its message, which may repeat the text, is not.
    """
    models.fault = status(code, {"error": "fox is not understood", "error_type": error_type})
    async with recipe.open("e", "live") as embedder:
        with pytest.raises(BackendError) as caught:
            await embedder.embed("fox")

    assert (expected, f"HTTP {code} ({error_type})") == (type(caught.value), str(caught.value))


@pytest.mark.parametrize("answer", [[], [[]], [[1.0], [2.0]], {"error": "no"}, [[0.0, 0.0]]])
async def test_an_answer_of_another_shape_is_the_services_failure(
    models: Models, recipe: Tei, answer: Any
) -> None:
    """
    None, empty, too many, an error that calls itself an answer, zeros.
    """
    models.spoil = lambda _: answer
    async with recipe.open("e", "live") as embedder:
        with pytest.raises(BackendError):
            await embedder.embed("fox")


def test_it_is_in_the_house(recipe: Tei) -> None:
    """
    Unless the operator rents it.
    """
    assert not recipe.third_party
    assert replace(recipe, in_house=False).third_party
