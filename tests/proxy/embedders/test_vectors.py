"""Vectors as services write them, checked."""

from __future__ import annotations

from base64 import b64encode

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.embedders.vectors import Row, checked
from proxy.errors import BackendError


def packed(*numbers: float) -> str:
    """Base64 of float32, as services write it."""
    return b64encode(np.array(numbers, "<f4").tobytes()).decode()


def test_numbers_and_base64_are_the_same_vector() -> None:
    """
    Ready for an engine, and nobody can change it.
    """
    plain, read = checked([[1, -2.5], packed(1, -2.5)], 2, 2, normalize=False)

    assert isinstance(plain, np.ndarray)
    assert isinstance(read, np.ndarray)
    assert plain.tolist() == read.tolist() == [1.0, -2.5]
    assert np.float32 == plain.dtype
    assert np.float32 == read.dtype
    assert not plain.flags.writeable
    assert not read.flags.writeable


@pytest.mark.parametrize(
    ("rows", "dimension", "message"),
    [
        ([], 2, "0 vectors for 2 texts"),
        ([[1.0, 2.0]], 2, "1 vectors for 2 texts"),
        ([[1.0, 2.0]] * 3, 2, "3 vectors for 2 texts"),
        ([[1.0, 2.0], [1.0]], None, "a vector of 1 numbers, not 2"),
        ([[1.0, 2.0], [1.0, 2.0]], 3, "a vector of 2 numbers, not 3"),
        ([[], []], None, "a vector of 0 numbers, not 0"),
        ([packed(1), packed(1, 2)], None, "a vector of 2 numbers, not 1"),
        (["!!", packed(1)], None, "no base64"),
        (["AAAA", packed(1)], None, "no base64"),
        ([[1.0] * 65_537] * 2, None, "a vector of 65537 numbers"),
    ],
)
def test_an_answer_in_doubt_is_doubted_whole(
    rows: list[Row], dimension: int | None, message: str
) -> None:
    """
    Which vector is whose can't be known, or the model isn't the one that filled the index.
    """
    with pytest.raises(BackendError, match=message):
        checked(rows, 2, dimension, normalize=False)


@pytest.mark.parametrize(
    "row", [packed(1, np.nan), packed(np.inf, 1), [1e300, 1.0], [0.0, 0.0], packed(-0.0, 0)]
)
@pytest.mark.parametrize("normalize", [True, False])
def test_a_vector_that_nothing_is_near_fails_its_own_text(row: Row, normalize: bool) -> None:
    """
    The others of the call have theirs.
    """
    bad, good = checked([row, [3.0, 4.0]], 2, 2, normalize=normalize)

    assert isinstance(bad, BackendError)
    assert ("finite" in str(bad)) != ("zeros" in str(bad))
    assert isinstance(good, np.ndarray)


@given(st.lists(st.floats(-(2.0**100), 2.0**100, width=32), min_size=1, max_size=8).filter(any))
def test_scaling_gives_length_one(numbers: list[float]) -> None:
    """
    However large or small the numbers are.
    """
    (vector,) = checked([numbers], 1, None, normalize=True)

    assert isinstance(vector, np.ndarray)
    assert pytest.approx(1, abs=1e-6) == float(np.linalg.norm(vector.astype(np.float64)))
