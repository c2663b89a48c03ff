"""A model of two files, run here."""

from __future__ import annotations

from pathlib import Path

import pytest

from proxy.errors import BackendError, BackendRefused
from proxy.models.onnx_model import OnnxModel
from tests.proxy.models.onnx_files import save


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model for which a fox is worth 3 and a hound .5."""
    return save(tmp_path / "tiny", {"fox": 3, "hound": 0.5})


def model(folder: Path, max_tokens: int | None = 16) -> OnnxModel:
    """The model of a folder."""
    return OnnxModel(folder / "model.onnx", folder / "tokenizer.json", max_tokens)


def test_texts_of_different_lengths_are_one_matrix(folder: Path) -> None:
    """
    The shorter is padded, and its padding masked.
    """
    tokens = model(folder).tokens([("fox", "hound"), ("fox", "fox fox hound")])

    assert [[2, 4, 3, 5, 3, 0, 0], [2, 4, 3, 4, 4, 5, 3]] == tokens.ids.tolist()
    assert [[1, 1, 1, 1, 1, 0, 0], [1] * 7] == tokens.mask.tolist()
    assert [[0, 0, 0, 1, 1, 0, 0], [0, 0, 0, 1, 1, 1, 1]] == tokens.types.tolist()


def test_the_model_makes_numbers_of_them(folder: Path) -> None:
    """
    The first output, or the one of a name.
    """
    made = model(folder)
    tokens = made.tokens([("fox", "hound"), ("fox", "fox fox hound")])

    assert [[0.5], [6.5]] == made.run(tokens).tolist() == made.run(tokens, "logits").tolist()


def test_a_text_is_cut_to_the_models_budget(folder: Path) -> None:
    """
    The longer of the two loses its end.
    """
    tokens = model(folder, 8).tokens([("fox", "hound " * 100)])

    assert [[2, 4, 3, 5, 5, 5, 5, 3]] == tokens.ids.tolist()


def test_text_that_is_no_unicode_is_refused(folder: Path) -> None:
    """
    And not repeated.
    """
    with pytest.raises(BackendRefused, match=r"tokenized$"):
        model(folder).tokens([("fox", "\ud800")])


def test_files_that_are_not_what_they_should_be(folder: Path, tmp_path: Path) -> None:
    """
    Missing, or something else.
    """
    with pytest.raises(BackendError, match="onnxruntime: "):
        OnnxModel(tmp_path / "none.onnx", folder / "tokenizer.json")
    with pytest.raises(BackendError, match="onnxruntime: "):
        OnnxModel(folder / "tokenizer.json", folder / "tokenizer.json")
    with pytest.raises(BackendError, match=r"model\.onnx: "):
        OnnxModel(folder / "model.onnx", folder / "model.onnx")
    with pytest.raises(BackendError, match=r"none\.json: "):
        OnnxModel(folder / "model.onnx", tmp_path / "none.json")


def test_a_model_that_needs_more_fails(tmp_path: Path) -> None:
    """
    An input that texts don't have is the model's failure.
    """
    made = model(save(tmp_path, {"fox": 1}, needs="pixels"))

    with pytest.raises(BackendError, match="pixels"):
        made.run(made.tokens([("fox", "fox")]))
