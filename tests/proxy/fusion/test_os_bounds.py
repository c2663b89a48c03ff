"""Bounds of OpenSearch's `min_max`."""

from __future__ import annotations

import numpy as np
import pytest

from proxy.fusion.os_bounds import LowerBound, UpperBound

SCORES = np.array([0.8, 0.5, 0.3, 0.1], np.float32)
LOW, HIGH = np.float32(0.1), np.float32(0.8)


@pytest.mark.parametrize(
    ("bound", "lowest"),
    [
        (LowerBound("apply", 0.3), [0.3, 0.3, 0.1, 0.1]),
        (LowerBound("apply", 0.9), [0.1] * 4),
        (LowerBound("apply"), [0.0] * 4),
        (LowerBound("clip", 0.3), [0.3] * 4),
        (LowerBound("clip", 0.9), [0.1] * 4),
        (LowerBound("clip", -5), [-5.0] * 4),
        (LowerBound("ignore", 0.3), [0.1] * 4),
    ],
)
def test_a_lower_bound(bound: LowerBound, lowest: list[float]):
    """
    `apply` is for scores above it; one that no score reaches has no effect.
    """
    assert lowest == pytest.approx(np.broadcast_to(bound.lowest(SCORES, LOW, HIGH), 4).tolist())


@pytest.mark.parametrize(
    ("bound", "highest"),
    [
        (UpperBound("apply", 0.4), [0.8, 0.8, 0.4, 0.4]),
        (UpperBound("apply", 0.05), [0.8] * 4),
        (UpperBound("apply"), [1.0] * 4),
        (UpperBound("clip", 0.4), [0.4] * 4),
        (UpperBound("clip", 0.05), [0.8] * 4),
        (UpperBound("clip", 5), [5.0] * 4),
        (UpperBound("ignore", 0.4), [0.8] * 4),
    ],
)
def test_an_upper_bound(bound: UpperBound, highest: list[float]):
    """
    The mirror image: `apply` is for scores below it.
    """
    assert highest == pytest.approx(np.broadcast_to(bound.highest(SCORES, LOW, HIGH), 4).tolist())


@pytest.mark.parametrize("score", [-10_000.5, 10_001, float("nan"), float("inf")])
def test_a_bound_is_within_10000(score: float):
    """
    Beyond, OpenSearch refuses it.
    """
    with pytest.raises(ValueError, match=r"^min_score: .* is not from -10000 to 10000"):
        LowerBound("clip", score)
    with pytest.raises(ValueError, match=r"^max_score: .* is not from -10000 to 10000"):
        UpperBound("clip", score)
