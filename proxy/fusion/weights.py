"""How much each leg counts in a fusion, and the one bound on numbers that a fusion accepts."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, TypeAlias

Weights: TypeAlias = tuple[tuple[str, float], ...]
"""(leg, weight) pairs; a leg that isn't named weighs 1."""

LARGEST: Final = 3.4028234663852886e38
"""The largest float32. Engines report scores as float32, so a larger one counts as not finite;
within it, no sum or square of a fusion can overflow a float64."""


def check_weights(weights: Weights) -> None:
    """Raise ValueError("weights…: what") unless all are finite, none is negative and one is > 0."""
    for leg, weight in weights:
        if not 0 <= weight <= LARGEST:
            raise ValueError(f"weights.{leg}: {weight} is not a finite number of at least 0")
    if weights and not any(weight for _, weight in weights):
        raise ValueError(f"weights: {dict(weights)} are all 0; at least one must be above 0")


@lru_cache(maxsize=1024)
def weights_of(weights: Weights, legs: tuple[str, ...]) -> tuple[float, ...]:
    """The weight of each of `legs`.

    Where all that is left of a retrieval weighs 0 (its weighty legs failed), all weigh the same: an
    order by nothing but document ids would help nobody.
    """
    named = dict(weights)
    found = tuple(named.get(leg, 1.0) for leg in legs)
    return found if any(found) else (1.0,) * len(legs)


@lru_cache(maxsize=1024)
def shares_of(weights: Weights, legs: tuple[str, ...]) -> tuple[float, ...]:
    """The weight of each of `legs`, divided by their sum."""
    found = weights_of(weights, legs)
    total = sum(found)
    return tuple(weight / total for weight in found)
