"""Fusion: the lists of several legs become one. Pure; float64; one function for live and shadows.

`table` (a retrieval as arrays) · `weights` · `rrf` · `weighted` with its `normalizations` and
`combinations` · `ranking` (the total order). A new fusion is one file and an entry in `FUSIONS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

from proxy.fusion.ranking import best
from proxy.fusion.rrf import RRF
from proxy.fusion.table import FloatArray, LegTable
from proxy.fusion.weighted import Weighted
from proxy.fusion.weights import Weights
from proxy.model import RankedList


class Fusion(Protocol):
    """How a document's ranks and scores in several legs make one score. A hashable value."""

    @property
    def weights(self) -> Weights:
        """How much each leg counts; a leg that isn't named weighs 1."""
        ...

    def usable(self, table: LegTable) -> LegTable:
        """The table without the hits that this fusion can't take; their legs are its `bad`."""
        ...

    def scores(self, table: LegTable, legs: tuple[str, ...]) -> FloatArray:
        """Each document's score, (documents,), summed over `legs` in the order given."""
        ...


Asked: TypeAlias = tuple[Fusion, tuple[str, ...]]
"""A fusion and the legs that it is asked to fuse."""


def fuse_all(table: LegTable, asked: Sequence[Asked], size: int) -> list[RankedList]:
    """The `size` best of each fusion that is `asked` for, in its order.

    Legs are summed in name order and ties go to the smaller document id, so that neither the order
    of arrival nor the other fusions can change a list.
    """
    return [_fused(table, fusion, tuple(sorted(legs)), size) for fusion, legs in asked]


def _fused(table: LegTable, fusion: Fusion, legs: tuple[str, ...], size: int) -> RankedList:
    usable = fusion.usable(table)
    return best(usable.ids, fusion.scores(usable, legs), usable.found(legs), size)


FUSIONS: Mapping[str, type[RRF | Weighted]] = {"rrf": RRF, "weighted": Weighted}
"""The kinds of fusion: `kind` picks the class, its fields are the schema."""
