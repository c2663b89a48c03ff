"""SciFact as it is shipped."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from demo.collection import claims, unpack


def test_every_claim_has_a_vector_and_a_judgment():
    """
    300 claims, 339 pairs, vectors of length 1.
    """
    found = claims()

    assert 300 == len({claim.id for claim in found})
    assert 339 == sum(len(claim.relevant) for claim in found)
    assert all(claim.relevant and len(claim.vector) == 384 for claim in found)
    for claim in found:
        assert sqrt(sum(value * value for value in claim.vector)) == pytest.approx(1, abs=0.01)


def test_unpacking_gives_the_engine_a_corpus_and_two_sets_of_vectors(tmp_path: Path):
    """
    The second set is the first, shifted by one document.
    """
    unpack(tmp_path)

    vectors, shifted = np.load(tmp_path / "vectors.npy"), np.load(tmp_path / "shifted.npy")
    lines = (tmp_path / "corpus.jsonl").read_text().splitlines()
    assert (5183, 384) == vectors.shape == shifted.shape
    assert 5183 == len(lines)
    assert np.array_equal(vectors[:-1], shifted[1:])
    assert np.array_equal(vectors[-1], shifted[0])


def test_unpacking_again_changes_nothing(tmp_path: Path):
    """
    A second run finds the same bytes, and no half-written file is left.
    """
    unpack(tmp_path)
    first = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    unpack(tmp_path)

    assert {"corpus.jsonl", "vectors.npy", "shifted.npy"} == first.keys()
    assert first == {path.name: path.read_bytes() for path in tmp_path.iterdir()}
