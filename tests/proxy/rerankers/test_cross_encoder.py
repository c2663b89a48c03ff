"""The onnx reranker, with a model small enough to be written down."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from config.errors import ConfigError
from proxy.backends import Question
from proxy.errors import BackendRefused
from proxy.rerankers import Shortlist
from proxy.rerankers.cross_encoder import CrossEncoder
from tests.proxy.models.onnx_files import save

WORTHS = {"fox": 3.0, "hound": 0.5, "fur": -1.0}
TEXTS = {
    "a": "fox fox hound",
    "b": "hound",
    "c": "nothing of worth here at all",
    "d": "fur fur",
    "e": "fox",
}
QUESTION = Question("which animal ?")


@pytest.fixture
def recipe(tmp_path: Path) -> CrossEncoder:
    """A model that adds up what the words of a document are worth."""
    return CrossEncoder(path=save(tmp_path / "tiny", WORTHS), model="tiny", text=("title",))


@pytest.mark.parametrize("options", [{}, {"batch": 1}, {"batch": 2}, {"threads": 3, "batch": 2}])
async def test_every_document_has_its_own_score(
    recipe: CrossEncoder, options: dict[str, Any]
) -> None:
    """
    Whatever else is in its batch: padding counts for nothing.
    """
    async with replace(recipe, **options).open("r", "live") as reranker:
        found = await reranker.score(QUESTION, Shortlist(tuple(TEXTS), TEXTS), {})

    assert {"a": 6.5, "b": 0.5, "c": 0.0, "d": -2.0, "e": 3.0} == found
    assert (50, 250, ("title",)) == (reranker.top, reranker.timeout_ms, reranker.text)


async def test_a_document_is_cut_to_the_models_budget(recipe: CrossEncoder) -> None:
    """
    In tokens, beside the query, and before that in characters.
    """
    texts = {"a": "hound " * 50 + "fox"}
    for options, expected in (({"max_tokens": 16}, 5.0), ({"max_characters": 17}, 1.5)):
        async with replace(recipe, **options).open("r", "live") as reranker:
            found = await reranker.score(QUESTION, Shortlist(("a",), texts), {})

        assert {"a": expected} == found


async def test_the_loop_goes_on_while_a_list_is_judged(recipe: CrossEncoder) -> None:
    """
    The work is done on a thread of its role's own.
    """
    ids = tuple(map(str, range(50)))
    texts = dict.fromkeys(ids, "hound " * 600)
    async with recipe.open("r", "shadow") as reranker:
        task = asyncio.create_task(reranker.score(QUESTION, Shortlist(ids, texts), {}))
        turns = 0
        while not task.done():
            turns += 1
            await asyncio.sleep(0.001)

    assert 3 < turns


async def test_who_leaves_ends_the_work(recipe: CrossEncoder) -> None:
    """
    Batches that haven't begun never do, so the next list isn't kept waiting.
    """
    ids = tuple(map(str, range(1000)))
    texts = dict.fromkeys(ids, "hound " * 600)
    async with replace(recipe, top=1000, batch=1).open("r", "live") as reranker:
        task = asyncio.create_task(reranker.score(QUESTION, Shortlist(ids, texts), {}))
        await asyncio.sleep(0.02)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        async with asyncio.timeout(1):
            found = await reranker.score(QUESTION, Shortlist(("a",), {"a": "fox"}), {})

    assert {"a": 3.0} == found


async def test_text_that_is_no_unicode_is_refused(recipe: CrossEncoder) -> None:
    """
    The reranker goes on.
    """
    async with recipe.open("r", "live") as reranker:
        with pytest.raises(BackendRefused):
            await reranker.score(Question("\ud800"), Shortlist(("a",), TEXTS), {})

        assert {"a": 6.5} == await reranker.score(QUESTION, Shortlist(("a",), TEXTS), {})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": 2}, r"scores of shape \(2, 2\), not one a document"),
        ({"needs": "pixels"}, "pixels"),
    ],
)
async def test_a_model_that_cannot_judge_is_said_at_start(
    recipe: CrossEncoder, options: dict[str, Any], message: str
) -> None:
    """
    It is tried once before any search.
    """
    save(recipe.path, WORTHS, **options)

    with pytest.raises(ConfigError, match=message):
        async with recipe.open("r", "live"):
            pass


async def test_files_that_are_no_model(recipe: CrossEncoder) -> None:
    """
    Missing ones are said before anything is opened, others when they are read.
    """
    (recipe.path / "model.onnx").write_text("none")
    with pytest.raises(ConfigError, match="onnxruntime"):
        async with recipe.open("r", "live"):
            pass
    assert [] == recipe.problems()
    (recipe.path / "model.onnx").unlink()

    assert [f"there is no file '{recipe.path}/model.onnx'"] == recipe.problems()
    assert "missing" in recipe.identity


def test_its_identity_is_the_models(recipe: CrossEncoder, tmp_path: Path) -> None:
    """
    The files' content, wherever they are, and where texts are cut; not how they are run.
    """
    other = replace(recipe, path=save(tmp_path / "copy", WORTHS), batch=1, threads=2, top=7)
    placed = replace(recipe, path=Path("tiny")).at(tmp_path, tmp_path)

    assert recipe.identity == other.identity == placed.identity
    assert recipe.identity != replace(recipe, max_tokens=64).identity
    assert recipe.identity != replace(recipe, max_characters=64).identity
    save(other.path, {**WORTHS, "fox": 4.0})
    assert recipe.identity != other.identity


@pytest.mark.parametrize(
    "options",
    [
        {"top": 0}, {"text": ()}, {"model": ""}, {"timeout_ms": 0}, {"max_tokens": 7},
        {"max_characters": 0}, {"batch": 0}, {"threads": 0}, {"threads": 65},
    ],
)  # fmt: skip
def test_options_are_within_bounds(recipe: CrossEncoder, options: dict[str, Any]) -> None:
    """
    The message begins with the field, so that the build can say where it stands.
    """
    (name,) = options
    with pytest.raises(ValueError, match=f"^{name}: "):
        replace(recipe, **options)


def test_nothing_leaves_the_house(recipe: CrossEncoder) -> None:
    """
    It counts documents, and reads no leg.
    """
    assert (False, 7, ()) == (recipe.third_party, recipe.units(7), recipe.reads)
