"""What the embedders behind HTTP share, on each of them: batches, memory, checks, faults."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
import pytest

from config.errors import ConfigError
from proxy.answer import DEGRADED_REASONS
from proxy.embedders.cohere import Cohere
from proxy.embedders.openai import OpenAI
from proxy.embedders.remote import RemoteEmbedder
from proxy.embedders.tei import Tei
from proxy.errors import BackendError, BackendRefused
from tests.proxy.models.services import FAULTS, SECRET, Fault, Models, patience, secrets_in, vector

KINDS: Mapping[str, RemoteEmbedder] = {
    "openai": OpenAI(model="text-embedding-3-small", api_key_env="MODEL_KEY"),
    "cohere": Cohere(api_key_env="MODEL_KEY"),
    "tei": Tei(url="http://h", model="bge-small", api_key_env="MODEL_KEY", normalize=False),
}
PATHS = {"openai": "/openai/v1", "cohere": "/cohere", "tei": "/tei"}


@pytest.fixture(params=KINDS)
def recipe(request: pytest.FixtureRequest, models: Models) -> RemoteEmbedder:
    """Each kind, with the patience of a busy machine."""
    kind = request.param
    return replace(KINDS[kind], url=models.url + PATHS[kind], timeout_ms=5_000)


def sent(models: Models) -> list[list[str]]:
    """The texts of every call."""
    names = ("input", "texts", "inputs")
    return [next(asked[name] for name in names if name in asked) for _, asked in models.asked]


async def test_a_text_becomes_its_vector(models: Models, recipe: RemoteEmbedder) -> None:
    """
    As the model has it: float32, and nobody can change it.
    """
    async with recipe.open("e", "live") as embedder:
        found = await embedder.embed("fox")

    assert np.float32 == found.dtype
    assert np.allclose(vector("fox", 4), found)
    assert not found.flags.writeable
    assert f"Bearer {SECRET}" == models.headers[0]["Authorization"]


async def test_fifty_texts_at_once_are_few_calls(models: Models, recipe: RemoteEmbedder) -> None:
    """
    Two of them, and each text gets its own vector.
    """
    texts = [f"text {number}" for number in range(50)]

    async with recipe.open("e", "live") as embedder:
        found = await asyncio.gather(*map(embedder.embed, texts))

    assert np.allclose([vector(text, 4) for text in texts], found)
    assert [18, 32] == sorted(map(len, sent(models)))


async def test_a_text_alone_waits_little(models: Models, recipe: RemoteEmbedder) -> None:
    """
    At most `gather_ms` more than the call itself takes: here two against eighty.
    """
    spent = {}
    for gather in (2, 80):
        async with replace(recipe, gather_ms=gather, cache=0).open("e", "live") as embedder:
            await embedder.embed("the connection is made")
            start = perf_counter()
            await embedder.embed("alone")
            spent[gather] = perf_counter() - start

    assert spent[2] < spent[80] - 0.04
    assert 0.08 <= spent[80]


async def test_a_text_is_asked_once(models: Models, recipe: RemoteEmbedder) -> None:
    """
    It is remembered, and asked for once by any number of callers.
    """
    async with recipe.open("e", "live") as embedder:
        await asyncio.gather(*(embedder.embed("fox") for _ in range(20)))
        await embedder.embed("fox")

    assert [["fox"]] == sent(models)


async def test_a_text_is_cut_and_introduced(models: Models, recipe: RemoteEmbedder) -> None:
    """
    Some models were taught to expect a word before a query.
    """
    recipe = replace(recipe, query_prefix="query: ", max_characters=5)

    async with recipe.open("e", "live") as embedder:
        await embedder.embed("much too long")

    assert [["query: much "]] == sent(models)


async def test_a_vector_has_length_one_if_asked(models: Models, recipe: RemoteEmbedder) -> None:
    """
    Some engines refuse others.
    """
    async with replace(recipe, normalize=True).open("e", "live") as embedder:
        found = await embedder.embed("fox")

    assert pytest.approx(1, abs=1e-6) == float(found @ found)


async def test_a_model_may_be_asked_for_shorter_vectors(
    models: Models, recipe: RemoteEmbedder
) -> None:
    """
    By each service's own name for it; otherwise `dimension` is only checked.
    """
    async with replace(recipe, dimension=3, shorten=True).open("e", "live") as embedder:
        assert 3 == len(await embedder.embed("fox"))
    async with replace(recipe, dimension=3).open("e", "live") as embedder:
        with pytest.raises(BackendError, match="a vector of 4 numbers, not 3"):
            await embedder.embed("fox")


async def test_the_dimension_is_learned(models: Models, recipe: RemoteEmbedder) -> None:
    """
    A model that is exchanged under way is noticed.
    """
    async with recipe.open("e", "live") as embedder:
        await embedder.embed("fox")
        models.dimension = 5
        with pytest.raises(BackendError, match="a vector of 5 numbers, not 4"):
            await embedder.embed("hound")
        models.dimension = 4

        assert 4 == len(await embedder.embed("hound"))


@pytest.mark.parametrize(("fault", "reason"), FAULTS.values(), ids=FAULTS)
async def test_every_fault_is_an_error_of_ours(
    models: Models,
    recipe: RemoteEmbedder,
    fault: Fault,
    reason: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """
    It has its reason, is not asked for again, and quotes neither text nor key; then all is well.
    """
    caplog.set_level(logging.DEBUG)
    models.fault = fault
    recipe = replace(recipe, timeout_ms=int(1_000 * patience(fault)))
    async with recipe.open("e", "live") as embedder:
        with pytest.raises(BackendError) as caught:
            await embedder.embed("swallowed a fork")
        models.fault = None
        assert 4 == len(await embedder.embed("swallowed a fork"))

    assert reason == caught.value.reason
    assert reason in DEGRADED_REASONS
    assert 2 == len(models.asked)
    assert [] == secrets_in(caught.value, "swallowed")
    assert not any(word in str(vars(each)) for each in caplog.records for word in (SECRET, "fork"))


async def test_a_storm_of_refusals_is_no_storm_of_questions(
    models: Models, recipe: RemoteEmbedder
) -> None:
    """
    A 429 is never answered by asking again: every text was sent once.
    """
    models.fault = FAULTS["too much to do"][0]
    texts = [f"text {number}" for number in range(50)]

    async with recipe.open("e", "live") as embedder:
        ended = await asyncio.gather(*map(embedder.embed, texts), return_exceptions=True)

    assert {BackendError} == {type(end) for end in ended}
    assert Counter(texts) == Counter(text for call in sent(models) for text in call)


async def test_text_that_is_no_unicode_fails_alone(models: Models, recipe: RemoteEmbedder) -> None:
    """
    It never reaches the call that others are in.
    """
    async with recipe.open("e", "live") as embedder:
        bad, good = await asyncio.gather(
            embedder.embed("\ud800"), embedder.embed("fox"), return_exceptions=True
        )

    assert isinstance(bad, BackendRefused)
    assert isinstance(good, np.ndarray)
    assert [["fox"]] == sent(models)


async def test_live_and_shadow_share_nothing(models: Models, recipe: RemoteEmbedder) -> None:
    """
    Neither calls nor memory: each role has a client of its own.
    """
    async with recipe.open("e", "live") as live, recipe.open("e", "shadow") as shadow:
        await asyncio.gather(live.embed("fox"), shadow.embed("fox"))

    assert [["fox"], ["fox"]] == sent(models)


async def test_a_key_that_is_not_set_is_said_at_start(
    models: Models, recipe: RemoteEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Not at the first search.
    """
    monkeypatch.delenv("MODEL_KEY")

    with pytest.raises(ConfigError, match=r"embedder 'e' .*\n.*'MODEL_KEY' is not set"):
        async with recipe.open("e", "live"):
            pass


@pytest.mark.parametrize(
    "options",
    [
        {"dimension": 0}, {"dimension": 65_537}, {"shorten": True}, {"batch": 0},
        {"batch": 1_001}, {"gather_ms": -1}, {"gather_ms": 101}, {"cache": -1},
        {"cache": 1_000_001}, {"timeout_ms": 0},
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", KINDS)
def test_options_are_within_bounds(kind: str, options: dict[str, Any]) -> None:
    """
    The message begins with the field, so that the build can say where it stands.
    """
    (name,) = options
    with pytest.raises(ValueError, match=f"^{name}: "):
        replace(KINDS[kind], **options)


@pytest.mark.parametrize("kind", KINDS)
def test_its_identity_is_the_models(kind: str) -> None:
    """
    What changes a number of a vector counts, and a dimension only where it is asked of the model.
    """
    plain = KINDS[kind]
    same = [{"batch": 1}, {"gather_ms": 0}, {"cache": 0}, {"dimension": 3}]
    other = [
        {"query_prefix": "q"}, {"normalize": not plain.normalize}, {"model": "m"},
        {"dimension": 3, "shorten": True}, {"dimension": 4, "shorten": True},
    ]  # fmt: skip
    identities = {replace(plain, **options).identity for options in other}  # type: ignore[arg-type]  # of several types

    assert {plain.identity} == {replace(plain, **options).identity for options in same}  # type: ignore[arg-type]  # of several types
    assert 5 == len(identities - {plain.identity})
