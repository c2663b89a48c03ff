"""Exact vector search against a plain loop, and vectors that can't be right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.errors import ConfigError
from proxy.backends.embedded.vectors import Vectors, load
from proxy.errors import BackendRefused


def cosine(a: Any, b: Any) -> float:
    """As Lucene reports it."""
    return (1 + float(np.dot(a, b) / np.linalg.norm(a) / np.linalg.norm(b))) / 2


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.booleans())
def test_the_nearest_are_those_of_a_plain_loop(seed: int, window: int, some: bool) -> None:
    """
    Scores are (1 + cos) / 2; filters are applied before the window is cut.
    """
    random = np.random.default_rng(seed)
    stored = random.normal(size=(30, 5)).astype(np.float32)
    query = random.normal(size=5).astype(np.float32)
    among = np.flatnonzero(random.random(30) < 0.3) if some else None

    ordinals, scores = Vectors(stored, "cosine").nearest(query, window, among)

    places = range(30) if among is None else among.tolist()
    best = sorted((cosine(stored[i], query) for i in places), reverse=True)[:window]
    assert pytest.approx(best, abs=1e-6) == scores
    # Scores that a float32 can't tell apart stand in order of ids, whatever a double says.
    assert [cosine(stored[i], query) for i in ordinals] == pytest.approx(scores, abs=1e-6)
    assert ordinals == sorted(ordinals, key=lambda i: (-scores[ordinals.index(i)], i))
    assert set(ordinals) <= set(places)


def test_equal_vectors_tie_and_stand_in_order_of_ids() -> None:
    """
    Equal rows score equally wherever they stand, also across the window's edge.
    """
    random = np.random.default_rng(7)
    row = random.normal(size=37).astype(np.float32)
    stored = np.vstack([row if i % 3 else -row for i in range(301)])

    ordinals, scores = Vectors(stored, "cosine").nearest(random.normal(size=37) - row, 250, None)

    assert 1 < len(ordinals)
    assert [i for i in range(301) if i % 3 == 0] == sorted(ordinals[:101])
    assert ordinals[:101] == sorted(ordinals[:101])
    assert ordinals[101:] == sorted(ordinals[101:])
    assert 2 == len(set(scores))


def test_dot_is_reported_as_lucene_reports_it() -> None:
    """
    (1 + dot) / 2 over unit vectors.
    """
    found = Vectors(np.eye(2, dtype=np.float32), "dot").nearest(np.float32([0.6, 0.8]), 2, None)

    assert [1, 0] == found[0]
    assert pytest.approx([0.9, 0.8]) == found[1]


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
@pytest.mark.parametrize(
    "query", [[1.0], [1.0, 0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0], [0.0, 0.0]]
)
def test_a_query_vector_that_cant_be_compared_is_refused(similarity: Any, query: Any) -> None:
    """
    Wrong length, NaN, infinity, nothing at all.
    """
    with pytest.raises(BackendRefused, match=r"^vector "):
        Vectors(np.eye(2, dtype=np.float32), similarity).nearest(np.float32(query), 2, None)


def test_dot_refuses_a_query_that_is_not_of_length_one() -> None:
    """
    As Elasticsearch does.
    """
    with pytest.raises(BackendRefused, match=r"of length 1\.4142; `dot`"):
        Vectors(np.eye(2, dtype=np.float32), "dot").nearest(np.float32([1, 1]), 2, None)


def test_nothing_passes_an_empty_filter() -> None:
    """
    No eligible document, no hit.
    """
    vectors = Vectors(np.eye(2, dtype=np.float32), "cosine")

    assert ([], []) == vectors.nearest(np.float32([1, 0]), 5, np.array([], np.int64))


def test_stored_vectors_come_back_as_they_are() -> None:
    """
    Also where they aren't of length 1; and they can't be written to.
    """
    vectors = Vectors(np.float32([[3, 4], [1, 0]]), "cosine")

    assert [3.0, 4.0] == vectors.row(0).tolist()
    assert not vectors.row(0).flags.writeable
    assert 2 == vectors.dimension


IDS, LINES = ("a", "b", "c"), np.array([2, 0, 1])


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_row_i_belongs_to_line_i(tmp_path: Path, dtype: Any) -> None:
    """
    Vectors are put into the order of ids.
    """
    np.save(tmp_path / "v.npy", np.array([[1, 0], [0, 1], [1, 1]], dtype))

    found = load(tmp_path / "v.npy", IDS, LINES, "cosine")

    assert [[1, 1], [1, 0], [0, 1]] == found.tolist()
    assert np.float32 == found.dtype


@pytest.mark.parametrize(
    ("matrix", "similarity", "expected"),
    [
        (np.ones((2, 4), "f4"), "cosine", ["2 vectors for 3 documents"]),
        (np.ones(3, "f4"), "cosine", ["is float32 of shape (3,), not float16 or float32 of"]),
        (np.ones((3, 2), "f8"), "cosine", ["is float64 of shape (3, 2), not float16"]),
        (np.ones((3, 0), "f4"), "cosine", ["is float32 of shape (3, 0), not"]),
        (
            np.array([[1, 1], [np.nan, 1], [0, 0]], "f2"),
            "cosine",
            ["row 1 (line 2), id 'c': holds NaN, inf", "row 2 (line 3), id 'a': is of length 0"],
        ),
        (
            np.array([[1, 0], [1, 1], [np.inf, 1]], "f4"),
            "dot",
            ["row 1 (line 2), id 'c': is not of length 1", "row 2 (line 3), id 'a': holds NaN"],
        ),
        (
            np.array([[1e30, 0], [1, 1], [1, 1]], "f4"),
            "cosine",
            ["row 0 (line 1), id 'b': holds NaN, infinity or numbers too large"],
        ),
    ],
)
def test_wrong_vectors_are_named(tmp_path: Path, matrix: Any, similarity: Any, expected) -> None:
    """
    The file, the row, the line from 1 and the id.
    """
    np.save(tmp_path / "v.npy", matrix)

    with pytest.raises(ConfigError) as caught:
        load(tmp_path / "v.npy", IDS, LINES, similarity)

    assert str(tmp_path / "v.npy") == caught.value.source
    assert len(expected) == len(caught.value.problems)
    for begin, problem in zip(expected, caught.value.problems, strict=True):
        assert problem.startswith(begin)


NO_MATRIX = [
    b"",
    b"not a matrix",
    b"PK\x03\x04",
    b"\x80\x04K\x01.",
    b"\x93NUMPY\x01\x00",
    b"\x93NUMPY\x01\x00\x0a\x00{'descr': (",
    b"\x93NUMPY\x01\x00\xff\xff" + b" " * 65_535,
]


@pytest.mark.parametrize("content", NO_MATRIX)
def test_what_is_no_npy_is_told_without_advice_to_trust_it(tmp_path: Path, content: bytes) -> None:
    """
    Empty, text, a zip, a pickle, cut short, a damaged header, one that is too long.
    """
    path = tmp_path / "v.npy"
    path.write_bytes(content)

    with pytest.raises(ConfigError) as caught:
        load(path, IDS, LINES, "cosine")

    what = "it is cut short or something else than numbers written by numpy.save"
    assert (f"cannot be read as .npy: {what}",) == caught.value.problems


def test_objects_are_no_numbers(tmp_path: Path) -> None:
    """
    An array of Python objects would run code when read.
    """
    np.save(tmp_path / "v.npy", np.array([[{}]], object))

    with pytest.raises(ConfigError, match="something else than numbers"):
        load(tmp_path / "v.npy", IDS, LINES, "cosine")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """
    With what the system says of it.
    """
    with pytest.raises(ConfigError, match=r"cannot be read as .*No such file"):
        load(tmp_path / "v.npy", IDS, LINES, "cosine")
