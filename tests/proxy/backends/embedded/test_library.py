"""What indices share in memory and on disk, and what makes their versions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from config.errors import ConfigError
from proxy.backends.embedded.fields import Field, Index
from proxy.backends.embedded.library import load
from proxy.backends.embedded.progress import Progress


@pytest.fixture
def index(tmp_path: Path, write) -> Index:
    """Three documents with vectors."""
    corpus = write([{"_id": i, "text": f"{i} fox"} for i in "cab"])
    np.save(tmp_path / "v.npy", np.eye(3, dtype=np.float16))
    np.save(tmp_path / "w.npy", np.eye(3, dtype=np.float16)[::-1])
    return Index(corpus, (("text", Field("text")),), tmp_path / "v.npy")


def test_two_indices_over_one_corpus_share_its_text(tmp_path: Path, index: Index) -> None:
    """
    Other vectors are another index over the same documents: one entry in the cache, one in memory.
    """
    shifted = replace(index, vectors=tmp_path / "w.npy")

    opened = load([("a", index), ("b", shifted)], tmp_path / "cache", Progress())

    assert opened["a"].collection is opened["b"].collection
    assert opened["a"].vectors is not opened["b"].vectors
    assert opened["a"].version != opened["b"].version
    assert 1 == sum(path.is_dir() for path in (tmp_path / "cache").iterdir())


def test_loading_again_shares_what_is_held(tmp_path: Path, index: Index) -> None:
    """
    Live and shadow read the same memory, while one of them holds it.
    """
    first = load([("a", index)], tmp_path / "cache", Progress())["a"]
    again = load([("a", index)], tmp_path / "cache", Progress())["a"]

    assert first.collection is again.collection
    assert first.vectors is again.vectors
    assert first.version == again.version


def test_a_version_follows_everything_that_is_searched(tmp_path: Path, index: Index) -> None:
    """
    Vectors, similarity, the vector field's name and fields change it; no two are alike.
    """
    variants = [
        index,
        replace(index, vectors=None),
        replace(index, similarity="dot"),
        replace(index, vector_field="v"),
        replace(index, vectors=tmp_path / "w.npy"),
        replace(index, fields=(("text", Field("text", "english")),)),
    ]
    named = [(str(place), variant) for place, variant in enumerate(variants)]

    opened = load(named, tmp_path / "cache", Progress())

    assert len(variants) == len({found.version for found in opened.values()})


def test_too_few_vectors_are_an_error(tmp_path: Path, index: Index) -> None:
    """
    Rows and documents must be as many.
    """
    np.save(tmp_path / "v.npy", np.eye(2, dtype=np.float16))

    with pytest.raises(ConfigError, match="2 vectors for 3 documents"):
        load([("a", index)], tmp_path / "cache", Progress())
