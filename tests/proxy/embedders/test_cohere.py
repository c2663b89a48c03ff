"""The cohere embedder: what is its own."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest

from proxy.embedders.cohere import Cohere
from proxy.errors import BackendError
from tests.proxy.models.services import Models, vector

PLAIN = Cohere(api_key_env="MODEL_KEY")


@pytest.mark.parametrize("encoding", ["base64", "float"])
async def test_it_asks_for_vectors_of_queries(
    models: Models, encoding: Literal["base64", "float"]
) -> None:
    """
    Documents and queries are embedded differently; both encodings come to the same vector.
    """
    recipe = replace(PLAIN, url=f"{models.url}/cohere", encoding=encoding)

    async with recipe.open("e", "live") as embedder:
        found = await embedder.embed("fox")

    assert {
        "model": "embed-v4.0",
        "input_type": "search_query",
        "texts": ["fox"],
        "embedding_types": [encoding],
    } == models.asked[0][1]
    assert np.allclose(vector("fox", 4), found)


@pytest.mark.parametrize(
    "embeddings",
    [
        {"float": [[1.0, 2.0]]}, {"base64": []}, {"base64": ["AAAA"]}, {"base64": ["!"]},
        {"base64": ["AACAfw=="]}, {"base64": ["AADAfw=="]}, {"base64": ["AAAAAA=="]},
    ],
)  # fmt: skip
async def test_a_vector_that_is_none_is_the_services_failure(
    models: Models, embeddings: Any
) -> None:
    """
    Another encoding, none, no number, infinity, NaN, zero.
    """
    models.spoil = lambda answer: {**answer, "embeddings": embeddings}
    async with replace(PLAIN, url=f"{models.url}/cohere").open("e", "live") as embedder:
        with pytest.raises(BackendError):
            await embedder.embed("fox")


def test_a_call_takes_no_more_texts_than_the_service() -> None:
    """
    96 of them.
    """
    with pytest.raises(ValueError, match=r"^batch: 97 is not from 1 to 96"):
        replace(PLAIN, batch=97)


def test_it_is_outside_and_wants_a_key() -> None:
    """
    Unless the operator runs it himself.
    """
    assert PLAIN.third_party
    assert not replace(PLAIN, in_house=True).third_party
    with pytest.raises(TypeError, match="api_key_env"):
        Cohere()  # type: ignore[call-arg]  # what the build refuses by the schema


def test_who_does_not_use_it_does_not_load_it() -> None:
    """
    Cohere's SDK is dear to import, and the registry names every kind.
    """
    code = "import sys, proxy.embedders.registry; print('cohere' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "False\n" == ran.stdout
