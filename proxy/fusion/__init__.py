"""Fusion: the lists of several legs become one. Pure; float64; one function for live and shadows.

`table` (a retrieval as arrays) · `weights` · `rrf` · `weighted` with its `normalizations` and
`combinations` · `ranking` (the total order). A new fusion is one file and an entry in `FUSIONS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

import numpy as np

from proxy.fusion.ranking import best
from proxy.fusion.rrf import RRF
from proxy.fusion.table import FloatArray, LegTable
from proxy.fusion.weighted import Weighted
from proxy.fusion.weights import Weights
from proxy.model import RankedList


class Fusion(Protocol):
    """How a document's ranks and scores in several legs make one score. A hashable value.

    The score is `back(Σ coefficient * term)` over the legs, which lets `fuse_all` sum many at once.
    """

    @property
    def weights(self) -> Weights:
        """How much each leg counts; a leg that isn't named weighs 1."""
        ...

    @property
    def back(self) -> np.ufunc | None:
        """What makes the sum a score, keeping its order; None for the sum itself."""
        ...

    def usable(self, table: LegTable) -> LegTable:
        """The table without the hits that this fusion can't take; their legs are its `bad`."""
        ...

    def coefficients(self, legs: tuple[str, ...]) -> Sequence[float]:
        """The factor of each leg."""
        ...

    def terms(self, table: LegTable, leg: str) -> FloatArray:
        """What the leg says of each document, (places,)."""
        ...


Asked: TypeAlias = tuple[Fusion, tuple[str, ...]]
"""A fusion and the legs, at least one, that it is asked to fuse."""


def fuse_all(table: LegTable, asked: Sequence[Asked], size: int) -> list[RankedList]:
    """The `size` best of each fusion that is `asked` for, in its order.

    Legs are summed in name order and ties go to the smaller document id, so that neither the order
    of arrival nor the other fusions can change a list.
    """
    groups: dict[tuple[LegTable, tuple[str, ...]], list[int]] = {}
    for place, (fusion, legs) in enumerate(asked):
        groups.setdefault((fusion.usable(table), tuple(sorted(legs))), []).append(place)
    lists = [RankedList()] * len(asked)
    for (usable, legs), places in groups.items():
        scores = _scores(usable, [asked[place][0] for place in places], legs)
        for place, ranked in zip(places, best(usable.ids, scores, size), strict=True):
            lists[place] = ranked
    return lists


def _scores(table: LegTable, fusions: Sequence[Fusion], legs: tuple[str, ...]) -> FloatArray:
    """Scores by fusion and document, (fusions, places); minus infinity where no leg found it."""
    terms = np.concatenate([fusion.terms(table, leg) for leg in legs for fusion in fusions])
    terms = terms.reshape(len(legs), len(fusions), -1)
    coefficients = np.array([fusion.coefficients(legs) for fusion in fusions])
    terms *= coefficients.T[:, :, np.newaxis]
    scores: FloatArray = terms[0]
    for more in terms[1:]:  # one after the other: `sum` may pair them differently for another shape
        scores += more
    for row, fusion in zip(scores, fusions, strict=True):
        if fusion.back is not None:
            fusion.back(row, out=row)
    scores += table.absent(legs)
    return scores


FUSIONS: Mapping[str, type[RRF | Weighted]] = {"rrf": RRF, "weighted": Weighted}
"""The kinds of fusion: `kind` picks the class, its fields are the schema."""
