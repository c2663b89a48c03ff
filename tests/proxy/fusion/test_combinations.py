"""Means of normalized scores."""

from __future__ import annotations

import numpy as np
import pytest

from proxy.fusion.combinations import COMBINATIONS


@pytest.mark.parametrize(
    ("name", "expected"),
    [("arithmetic_mean", 0.69), ("geometric_mean", 0.7863), ("harmonic_mean", 0.7611)],
)
def test_the_golden_numbers_of_opensearch(name: str, expected: float):
    """
    1, 0 and .6 with weights .45, .15 and .4, where zeros drop out of the latter two.
    """
    mean = COMBINATIONS[name]
    scores, weights = np.array([1, 0, 0.6]), np.array([0.45, 0.15, 0.4])
    if name != "arithmetic_mean":
        scores, weights = scores[[0, 2]], weights[[0, 2]]
    terms = scores if mean.into is None else mean.into(scores)

    total = (weights * terms).sum() / weights.sum()

    assert expected == pytest.approx(total if mean.back is None else mean.back(total), abs=1e-4)


@pytest.mark.parametrize("name", COMBINATIONS)
def test_the_mean_of_equal_scores_is_that_score(name: str):
    """
    `back` undoes `into`.
    """
    mean, scores = COMBINATIONS[name], np.array([0.001, 0.25, 1.0])

    there = scores if mean.into is None else mean.into(scores)

    assert np.allclose(scores, there if mean.back is None else mean.back(there), rtol=1e-15)
