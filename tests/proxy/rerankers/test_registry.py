"""The registry of rerankers, read from a configuration as the build reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from config.errors import ConfigError
from config.schema import Part
from proxy.build.making import make
from proxy.rerankers import RerankerRecipe
from proxy.rerankers.cohere import Cohere
from proxy.rerankers.cross_encoder import CrossEncoder
from proxy.rerankers.embedding import Embedding
from proxy.rerankers.jina import Jina
from proxy.rerankers.registry import RERANKERS
from proxy.rerankers.tei import Tei
from proxy.rerankers.voyage import Voyage

TEXT = ("title", "body")
OUTSIDE: dict[str, Any] = {"api_key_env": "KEY", "text": TEXT}


def made(kind: str, **options: Any) -> RerankerRecipe:
    """The part as the build makes it."""
    return make("rerankers.r", Part(kind=kind, options=tuple(options.items())), RERANKERS)


def test_a_kind_is_its_class() -> None:
    """
    What is left out is the default.
    """
    here: dict[str, Any] = {"model": "m", "text": TEXT}

    assert Cohere(**OUTSIDE) == made("cohere", **OUTSIDE)
    assert Jina(**OUTSIDE) == made("jina", **OUTSIDE)
    assert Voyage(**OUTSIDE) == made("voyage", **OUTSIDE)
    assert Tei(url="http://h", **here) == made("tei", url="http://h", **here)
    assert CrossEncoder(path=Path("p"), **here) == made("onnx", path="p", **here)
    assert Embedding("b", "i", "f") == made("embedding", backend="b", index="i", field="f")


@pytest.mark.parametrize(
    ("kind", "options", "problem"),
    [
        ("cohere", {"text": TEXT}, "rerankers.r.api_key_env: is missing"),
        ("jina", {"text": TEXT}, "rerankers.r.api_key_env: is missing"),
        ("voyage", {"api_key_env": None, "text": TEXT}, "rerankers.r.api_key_env: is not a text"),
        ("cohere", {**OUTSIDE, "top": 1001}, "rerankers.r.top: 1001 is not from 1 to 1000"),
        ("cohere", {**OUTSIDE, "text": ()}, "rerankers.r.text: needs the name of"),
        ("tei", {"model": "m", "text": TEXT}, "rerankers.r.url: is missing"),
        ("onnx", {"model": "m", "text": TEXT}, "rerankers.r.path: is missing"),
        ("bm25", {}, "rerankers.r.kind: 'bm25' is no kind of part here"),
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
