"""Tests of docs/configuration.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from config.loader import load
from config.schema import Settings
from proxy.build import build
from proxy.embedders.onnx import Onnx

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"
BLOCKS = re.findall(r"^```yaml\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def test_every_section_is_shown_once() -> None:
    """
    The page has a block for each, so the blocks together are a file.
    """
    shown = [key for block in BLOCKS for key in yaml.safe_load(block)]

    assert sorted(Settings.model_fields) == sorted(shown)


def test_the_blocks_together_are_a_configuration(tmp_path: Path) -> None:
    """
    What a reader copies is right.
    """
    if Onnx().problems():
        pytest.skip("the optional embedding model is not installed")
    file = tmp_path / "c.yaml"
    file.write_text("".join(BLOCKS).replace("../", f"{PAGE.parents[1]}/"))

    loaded = load(file, {})

    assert () == loaded.problems
    assert ["faq"] == list(build(loaded).routes)


def test_what_check_prints_is_what_it_would_print(tmp_path: Path) -> None:
    """
    The example of a wrong file is one.
    """
    (said,) = re.findall(r"^```console\n.*?\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    file = tmp_path / "c.yaml"
    file.write_text(
        """
        server: {port: "8080"}
        backends: {}
        legs: {bm25: {kind: lexical}}
        pipelines:
          rrf60: {legs: [bm25], fusoin: {}}
          rrf20: {legs: [bm25]}
          minmax37: {legs: [bm25]}
          bm25only: {legs: [bm25]}
        routes: {faq: {live: {rrf60: 0.5, rrf20: 0.4}, shadows: {rrf2: 0.1}}}
        """
    )

    assert [f"  {problem}" for problem in load(file, {}).problems] == said.splitlines()[1:]
