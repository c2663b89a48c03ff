"""What OpenSearch's processors ask of weights and legs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from proxy.fusion.single import Single, in_turn
from proxy.fusion.weights import Weights

MOST_LEGS: Final = 5
"""A `hybrid` query has at most so many sub-queries."""
_TOLERANCE: Final = Single(0.01)


def check_parts(weights: Weights) -> None:
    """Raise ValueError("weights…: what") unless each is from 0 to 1 and they sum to 1."""
    for leg, weight in weights:
        if not 0 <= weight <= 1:
            raise ValueError(f"weights.{leg}: {weight} is not from 0 to 1")
    total = in_turn(np.array([weight for _, weight in weights], np.float32))
    if weights and abs(1 - total) > _TOLERANCE:
        raise ValueError(f"weights: {dict(weights)} sum to {total:.6g}, not to 1 (within 0.01)")


def check_rank_constant(constant: int) -> None:
    """Raise ValueError("rank_constant: what") for one that OpenSearch refuses."""
    if not 1 <= constant <= 10_000:
        raise ValueError(f"rank_constant: {constant} is not from 1 to 10000")


def too_many(legs: tuple[str, ...]) -> list[str]:
    """The problem of a pipeline with more legs than a `hybrid` query has sub-queries."""
    if len(legs) <= MOST_LEGS:
        return []
    return [f"kind: OpenSearch fuses at most {MOST_LEGS} sub-queries, and there are {len(legs)}"]


def left_out(field: str, named: Iterable[str], legs: tuple[str, ...]) -> list[str]:
    """The problem of a list by leg that is neither empty nor as long as the legs are many."""
    names = set(named)
    missing = [leg for leg in legs if leg not in names]
    if not names or not missing:
        return []
    return [f"{field}: none for {', '.join(missing)}; OpenSearch wants all legs or none"]
