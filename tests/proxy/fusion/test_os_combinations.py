"""OpenSearch's combinations, edge by edge."""

from __future__ import annotations

import numpy as np
import pytest

from proxy.fusion.os_combinations import OS_COMBINATIONS
from proxy.fusion.single import weighed


def combined(name: str, scores: list[float], weights: list[float]) -> float:
    """One document's score, from its scores by leg."""
    by_leg = np.array(scores, np.float32)[:, np.newaxis]
    return float(OS_COMBINATIONS[name](by_leg, weighed(weights))[0])


@pytest.mark.parametrize(
    ("name", "expected"),
    [("arithmetic_mean", 0.69), ("geometric_mean", 0.7863), ("harmonic_mean", 0.7611)],
)
def test_the_documented_example(name: str, expected: float):
    """
    The leg with 0 stays in the arithmetic divisor only. It gives four digits, the last one cut.
    """
    score = combined(name, [1, 0, 0.6], [0.45, 0.15, 0.4])

    assert expected == pytest.approx(score, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "scores", "weights", "expected"),
    [
        ("arithmetic_mean", [0.5, -0.5], [1, 1], 0.5),
        ("arithmetic_mean", [-0.5, -0.5], [1, 1], 0),
        ("arithmetic_mean", [0.9, 0.4], [0, 0], 0),
        ("geometric_mean", [0.9, 0], [1, 1], 0.9),
        ("geometric_mean", [0.9, 0.4], [1, 1], 0.6),
        ("geometric_mean", [0.9, 0], [0, 1], 0),
        ("geometric_mean", [-1, 0], [1, 1], 0),
        ("harmonic_mean", [0.9, 0], [1, 1], 0.9),
        ("harmonic_mean", [0.9, 0.4], [1, 1], 0.553846),
        ("harmonic_mean", [0.9, 0], [0, 1], 0),
        ("harmonic_mean", [-1, 0], [1, 1], 0),
    ],
)
def test_edges(name: str, scores: list[float], weights: list[float], expected: float):
    """
    One leg's .9 alone is worth more than .9 and .4 in both, but for the arithmetic mean; what
    nothing counts for is 0.
    """
    assert expected == pytest.approx(combined(name, scores, weights), abs=2e-6)


@pytest.mark.parametrize("name", OS_COMBINATIONS)
def test_scores_are_not_changed(name: str):
    """
    Others read the same rows.
    """
    rows = np.array([[0.5, 0, 1], [0, 0.25, 1]], np.float32)
    rows.flags.writeable = False

    assert np.float32 == OS_COMBINATIONS[name](rows, weighed((0.5, 0.5))).dtype
