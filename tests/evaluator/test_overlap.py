"""How alike two rankings are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.overlap import overlap, rbo


def compared(one: str, other: str) -> tuple[float, float]:
    """Overlap and RBO of two rankings of one-letter documents."""
    ranks = np.array([[other.find(doc) + 1 for doc in one.ljust(10)]])
    sizes = np.array([len(one)]), np.array([len(other)])
    return float(overlap(ranks, *sizes)[0]), float(rbo(ranks, *sizes)[0])


def plain_rbo(one: str, other: str) -> float:
    """The definition, term by term."""
    depth = min(10, max(len(one), len(other)))
    agreed = sum(
        0.9 ** (d - 1) * len(set(one[:d]) & set(other[:d])) / d for d in range(1, depth + 1)
    )
    return agreed * (1 - 0.9) / (1 - 0.9**depth)


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [("abc", "cba", 1.0), ("abcd", "ab", 0.5), ("ab", "cd", 0.0), ("", "ab", 0.0)],
)
def test_overlap_is_by_the_longer_list(one: str, other: str, shared: float) -> None:
    """
    A short list isn't flattered.
    """

    assert shared == compared(one, other)[0]


@given(
    st.lists(st.sampled_from("abcdefghijklmno"), unique=True, max_size=12),
    st.lists(st.sampled_from("abcdefghijklmno"), unique=True, min_size=1, max_size=12),
)
def test_rbo_is_its_definition(one: list[str], other: list[str]) -> None:
    """
    A table by rank gives what summing over depths gives.
    """
    first, second = "".join(one), "".join(other)

    assert plain_rbo(first, second) == pytest.approx(compared(first, second)[1], abs=1e-12)


def test_equal_lists_are_alike_entirely() -> None:
    """
    RBO is scaled so that they get 1, also short ones.
    """

    assert (1.0, pytest.approx(1.0)) == compared("abc", "abc")


def test_two_empty_lists_cannot_be_compared() -> None:
    """
    Neither number is defined.
    """

    assert all(math.isnan(value) for value in compared("", ""))
