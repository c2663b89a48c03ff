"""Tests of config/examples."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import config
from config.loader import load
from proxy.build import build
from proxy.embedders.onnx import Onnx

FOLDER = Path(config.__file__).with_name("examples")
EXAMPLES = sorted(FOLDER.glob("*.yaml"))


def set_by(path: Path) -> dict[str, str]:
    """The variables that an example names, each with a key of sufficient length."""
    return dict.fromkeys(re.findall(r"\b[A-Z][A-Z_]{4,}\b", path.read_text()), "x" * 32)


def test_there_are_examples() -> None:
    """
    The least that serves, a hybrid with all that goes with it, and one for each kind of cluster.
    """
    names = ["elasticsearch.yaml", "embedded.yaml", "hybrid.yaml", "opensearch.yaml"]

    assert names == [path.name for path in EXAMPLES]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_every_example_builds(path: Path) -> None:
    """
    Whoever copies one starts from a configuration that is right.
    """
    loaded = load(path, set_by(path))
    assert () == loaded.problems
    if "kind: onnx" in path.read_text() and Onnx().problems():
        pytest.skip("the optional embedding model is not installed")

    assert ["faq"] == list(build(loaded).routes)


def test_the_corpus_of_the_examples_has_a_vector_for_each_document() -> None:
    """
    Row i belongs to line i.
    """
    lines = (FOLDER / "faq.jsonl").read_text().splitlines()
    vectors = np.load(FOLDER / "faq.npy")

    assert (len(lines), 384) == vectors.shape
    assert len(lines) == len({json.loads(line)["id"] for line in lines})
