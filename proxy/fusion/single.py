"""Single precision, as Java's `float`: what engines score in."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Final, TypeAlias

import numpy as np

from proxy.fusion.table import LegTable, SingleArray

Single: TypeAlias = np.float32

SMALLEST: Final = Single(1.401298464324817e-45)
"""Java's `Float.MIN_VALUE`, from which engines look for a leg's largest score: above 0."""
LARGEST: Final = np.finfo(np.float32).max
"""Java's `Float.MAX_VALUE`, from which they look for the smallest."""

_NOT_FOUND: Final = np.zeros(1, np.float32)


def by_document(
    table: LegTable, legs: tuple[str, ...], how: Hashable, values: Callable[[str], SingleArray]
) -> SingleArray:
    """Each leg's values of its hits as a row by document, (legs, documents); 0 where not found.

    Who asks for the same legs and `how` gets the same array, which nobody may change.
    """
    rows = table.singles.get((how, legs))
    if rows is None:
        row = np.concatenate([*(values(leg) for leg in legs), _NOT_FOUND])
        rows = table.singles[how, legs] = row.take(table.places(legs).of_lists)
        rows.flags.writeable = False
    return rows


def weighted_sum(rows: SingleArray, weights: Iterable[float]) -> SingleArray:
    """Σ w s by document, rounded after each leg."""
    total = np.zeros(rows.shape[1], np.float32)
    for row, weight in zip(rows, weighed(weights), strict=True):
        total += row * weight
    return total


def weighed(weights: Iterable[float]) -> tuple[Single, ...]:
    """Weights as an engine reads them."""
    return tuple(Single(weight) for weight in weights)


def in_turn(numbers: SingleArray) -> Single:
    """The sum, rounded after each number; `sum` adds in an order of its own."""
    return numbers.cumsum(dtype=np.float32)[-1] if numbers.size else Single(0)


def bounds(scores: SingleArray) -> tuple[Single, Single]:
    """The lowest and the highest score as engines find them: the highest is above 0, always."""
    low = np.minimum.reduce(scores, initial=LARGEST)
    high = np.maximum.reduce(scores, initial=SMALLEST)
    return low, high
