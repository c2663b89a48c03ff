"""Many fusions of the same legs in one numpy pass, to the same numbers as each alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proxy.fusion.form import Summed
from proxy.fusion.ranking import best
from proxy.fusion.table import FloatArray, LegTable
from proxy.model import RankedList


def fuse_batch(
    fusions: Sequence[Summed], table: LegTable, legs: tuple[str, ...], size: int
) -> list[RankedList]:
    """The `size` best of each fusion, legs summed in the order given, ties by document id."""
    return best(table.places(legs).ids, _scores(fusions, table, legs), size)


def _scores(fusions: Sequence[Summed], table: LegTable, legs: tuple[str, ...]) -> FloatArray:
    """Scores, (fusions, documents)."""
    values = np.concatenate([fusion.values(table, legs) for fusion in fusions])
    factors = np.array([factor for fusion in fusions for factor in fusion.factors(legs)])
    by_leg = values.reshape(len(fusions), -1).take(table.places(legs).of_lists, axis=1)
    by_leg *= factors.reshape(len(fusions), -1, 1)
    scores: FloatArray = by_leg[:, 0]
    for number in range(1, len(legs)):  # one by one: `sum` adds in an order of its own
        scores = scores + by_leg[:, number]
    for number, fusion in enumerate(fusions):
        if fusion.back is not None:
            scores[number] = fusion.back(scores[number])
    return scores
