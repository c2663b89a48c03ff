"""The registry of embedders, read from a configuration as the build reads it."""

from __future__ import annotations

from typing import Any

import pytest

from config.errors import ConfigError
from config.schema import Part
from proxy.build.making import make
from proxy.embedders import EmbedderRecipe
from proxy.embedders.cohere import Cohere
from proxy.embedders.onnx import Onnx
from proxy.embedders.openai import OpenAI
from proxy.embedders.registry import EMBEDDERS
from proxy.embedders.tei import Tei


def made(kind: str, **options: Any) -> EmbedderRecipe:
    """The part as the build makes it."""
    return make("embedders.e", Part(kind=kind, options=tuple(options.items())), EMBEDDERS)


def test_a_kind_is_its_class() -> None:
    """
    What is left out is the default.
    """
    assert Onnx() == made("onnx", model="builtin")
    assert OpenAI(model="m", gather_ms=0.5) == made("openai", model="m", gather_ms=0.5)
    assert Cohere(api_key_env="KEY") == made("cohere", api_key_env="KEY")
    assert Tei(url="http://h", model="m") == made("tei", url="http://h", model="m")


@pytest.mark.parametrize(
    ("kind", "options", "problem"),
    [
        ("onnx", {"model": "e5"}, "embedders.e.model: 'e5'"),
        ("tei", {"model": "m"}, "embedders.e.url: is missing"),
        ("cohere", {}, "embedders.e.api_key_env: is missing"),
        ("openai", {"model": "m", "batch": 0}, "embedders.e.batch: 0 is not from 1 to 1000"),
        ("openai", {"model": "m", "encoding": "hex"}, "embedders.e.encoding: 'hex'"),
        ("openai", {"model": "m", "url": "h"}, "embedders.e.url: 'h' is no http:// or https://"),
        ("word2vec", {}, "embedders.e.kind: 'word2vec' is no kind of part here"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(
    kind: str, options: dict[str, Any], problem: str
) -> None:
    """
    One line a mistake.
    """
    with pytest.raises(ConfigError) as caught:
        made(kind, **options)

    assert caught.value.problems[0].startswith(problem)
