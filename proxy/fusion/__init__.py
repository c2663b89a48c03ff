"""Fusion: the lists of several legs become one. Pure; float64; one function for live and shadows.

`table` (a retrieval, fit to be fused) · `form` (what every fusion is) · `weights` · `rrf` ·
`weighted` with its `normalizations` and `combinations` · `alone` and `batch` (one fusion or many)
with `places` and `ranking`. A new fusion is one file and an entry in `FUSIONS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from proxy.fusion.alone import fuse_alone
from proxy.fusion.batch import fuse_batch
from proxy.fusion.form import Fusion
from proxy.fusion.rrf import RRF
from proxy.fusion.table import LegTable
from proxy.fusion.weighted import Weighted
from proxy.model import RankedList

__all__ = ["FUSIONS", "RRF", "Asked", "Fusion", "LegTable", "Weighted", "fuse_all"]

Asked: TypeAlias = tuple[Fusion, tuple[str, ...]]
"""A fusion and the legs, at least one, that it is asked to fuse."""

FEW: Final = 3
"""So many fusions are quicker alone than in a batch (`bench/fusion.py`)."""


def fuse_all(table: LegTable, asked: Sequence[Asked], size: int) -> list[RankedList]:
    """The `size` best of each fusion that is `asked` for, in its order.

    Legs are summed in name order and ties go to the smaller document id, so that neither the order
    of arrival nor the other fusions can change a list.
    """
    if len(asked) <= FEW:
        return [
            fuse_alone(fusion, fusion.usable(table), tuple(sorted(legs)), size)
            for fusion, legs in asked
        ]
    alike = [(fusion.usable(table), legs) for fusion, legs in asked]
    lists: dict[int, RankedList] = {}
    for key in dict.fromkeys(alike):
        usable, legs = key
        batch = [number for number, other in enumerate(alike) if other is key or other == key]
        fused = fuse_batch([asked[n][0] for n in batch], usable, tuple(sorted(legs)), size)
        if len(batch) == len(asked):
            return fused
        lists.update(zip(batch, fused, strict=True))
    return [lists[number] for number in range(len(asked))]


FUSIONS: Mapping[str, type[RRF | Weighted]] = {"rrf": RRF, "weighted": Weighted}
"""The kinds of fusion: `kind` picks the class, its fields are the schema."""
