"""The openai embedder: what is its own."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

import numpy as np
import pytest

from proxy.embedders.openai import OpenAI
from proxy.errors import BackendError
from tests.proxy.models.services import Models, vector


def recipe(models: Models, **options: Any) -> OpenAI:
    """The endpoint of the test's services; it asks for no key."""
    return OpenAI(url=f"{models.url}/openai/v1/", model="m", **options)


@pytest.mark.parametrize("encoding", ["base64", "float"])
async def test_it_reads_what_it_asked_for(
    models: Models, encoding: Literal["base64", "float"]
) -> None:
    """
    Both ways come to the same vector.
    """
    async with recipe(models, encoding=encoding).open("e", "live") as embedder:
        found = await embedder.embed("fox")

    assert {"model": "m", "encoding_format": encoding, "input": ["fox"]} == models.asked[0][1]
    assert np.allclose(vector("fox", 4), found)
    assert "Authorization" not in models.headers[0]


async def test_it_reads_what_it_did_not_ask_for(models: Models) -> None:
    """
    Some servers know no base64 and answer numbers all the same.
    """

    def numbers(answer: Any) -> Any:
        answer["data"][0]["embedding"] = [1, 2.5, 0, 0]
        return answer

    models.spoil = numbers
    async with recipe(models).open("e", "live") as embedder:
        assert [1.0, 2.5, 0.0, 0.0] == (await embedder.embed("fox")).tolist()


def reversed_data(answer: Any) -> Any:
    answer["data"].reverse()
    return answer


def twice_the_first(answer: Any) -> Any:
    answer["data"][1] = answer["data"][0]
    return answer


def one_less(answer: Any) -> Any:
    del answer["data"][1]
    return answer


def one_more(answer: Any) -> Any:
    answer["data"].append({**answer["data"][0], "index": 2})
    return answer


def all_of_one(answer: Any) -> Any:
    return {**answer, "data": [answer["data"][0]]}


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (reversed_data, "out of order"),
        (twice_the_first, "out of order"),
        (one_less, "1 vectors for 2 texts"),
        (one_more, "3 vectors for 2 texts"),
        (all_of_one, "1 vectors for 2 texts"),
        (lambda _: {"data": []}, "0 vectors for 2 texts"),
        (lambda _: {"error": {"message": "hello"}}, "another shape"),
        (lambda _: {"data": [{"embedding": [1.0]}]}, "another shape"),
        (lambda _: {"data": [{"index": 0, "embedding": [1.0, None]}]}, "another shape"),
        (lambda _: [], "another shape"),
    ],
)
async def test_an_answer_that_could_be_anyones_is_nobodys(
    models: Models, spoil: Any, message: str
) -> None:
    """
    A vector that belongs to another text would be worse than none.
    """
    models.spoil = spoil
    async with recipe(models).open("e", "live") as embedder:
        ended = await asyncio.gather(
            embedder.embed("fox"), embedder.embed("hound"), return_exceptions=True
        )

    assert [BackendError, BackendError] == [type(end) for end in ended]
    assert message in str(ended[0])


async def test_numbers_that_are_not_json_are_refused(models: Models) -> None:
    """
    Python's own JSON writes NaN, which is none.
    """

    def nan(answer: Any) -> Any:
        answer["data"][0]["embedding"] = [float("nan")] * 4
        return answer

    models.spoil = nan
    async with recipe(models).open("e", "live") as embedder:
        with pytest.raises(BackendError, match="another shape"):
            await embedder.embed("fox")


def test_whose_it_is() -> None:
    """
    OpenAI's unless the operator says that it is his own.
    """
    assert OpenAI(model="m").third_party
    assert not OpenAI(model="m", in_house=True).third_party
    assert "https://api.openai.com/v1" == OpenAI(model="m").url
