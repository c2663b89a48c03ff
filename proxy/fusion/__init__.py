"""Fusion: the lists of several legs become one. Pure; one function for live, shadows and replay.

`table` (a retrieval, fit to be fused) · `form` (what every fusion is) · `weights`
Ours, in double precision: `rrf` · `weighted` with its `normalizations` and `combinations` ·
`alone` and `batch` (one fusion or many) with `places` and `ranking`
Engines', in `single` precision: `dialect` (what each is) · `whole` (how one is computed) ·
`es_rrf` · `es_linear` · `os_rrf` · `os_norm` with its `os_normalizations`, `os_bounds` and
`os_combinations` · `os_weights`
A new fusion is one file and an entry in `FUSIONS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias, TypeVar

from proxy.fusion.alone import fuse_alone
from proxy.fusion.batch import fuse_batch
from proxy.fusion.dialect import Dialect
from proxy.fusion.es_linear import ElasticsearchLinear
from proxy.fusion.es_rrf import ElasticsearchRRF
from proxy.fusion.form import Fusion, Summed
from proxy.fusion.os_norm import OpenSearchNormalization
from proxy.fusion.os_rrf import OpenSearchRRF
from proxy.fusion.rrf import RRF
from proxy.fusion.table import LegTable
from proxy.fusion.weighted import Weighted
from proxy.fusion.whole import fuse_whole
from proxy.model import RankedList

__all__ = [
    "FUSIONS", "RRF", "Asked", "Dialect", "ElasticsearchLinear", "ElasticsearchRRF", "Fusion",
    "LegTable", "OpenSearchNormalization", "OpenSearchRRF", "Summed", "Weighted", "fuse_all",
]  # fmt: skip

Asked: TypeAlias = tuple[Fusion, tuple[str, ...]]
"""A fusion and the legs, at least one, that it is asked to fuse."""
AnyFusion = TypeVar("AnyFusion", Summed, Dialect)

FEW: Final = 3
"""So many sums are quicker alone than in a batch (`bench/fusion.py`)."""


def fuse_all(table: LegTable, asked: Sequence[Asked], size: int) -> list[RankedList]:
    """The `size` best of each fusion that is `asked` for, in its order.

    Legs are summed in name order and ties go to the smaller document id, so that neither the order
    of arrival nor the other fusions can change a list.
    """
    sums = [(fusion, legs) for fusion, legs in asked if not isinstance(fusion, Dialect)]
    if len(sums) <= FEW:
        summed = [
            fuse_alone(fusion, fusion.usable(table), tuple(sorted(legs)), size)
            for fusion, legs in sums
        ]
    else:
        summed = _together(fuse_batch, table, sums, size)
    if len(sums) == len(asked):
        return summed
    copies = [(fusion, legs) for fusion, legs in asked if isinstance(fusion, Dialect)]
    ours, engines = iter(summed), iter(_together(fuse_whole, table, copies, size))
    return [next(engines if isinstance(fusion, Dialect) else ours) for fusion, _ in asked]


def _together(
    fuse: Callable[[Sequence[AnyFusion], LegTable, tuple[str, ...], int], list[RankedList]],
    table: LegTable,
    asked: Sequence[tuple[AnyFusion, tuple[str, ...]]],
    size: int,
) -> list[RankedList]:
    """Those of the same legs and hits at once."""
    alike = [(fusion.usable(table), legs) for fusion, legs in asked]
    lists: dict[int, RankedList] = {}
    for key in dict.fromkeys(alike):
        usable, legs = key
        batch = [number for number, other in enumerate(alike) if other is key or other == key]
        fused = fuse([asked[n][0] for n in batch], usable, tuple(sorted(legs)), size)
        if len(batch) == len(asked):
            return fused
        lists.update(zip(batch, fused, strict=True))
    return [lists[number] for number in range(len(asked))]


FUSIONS: Mapping[str, type[RRF | Weighted | Dialect]] = {
    "rrf": RRF,
    "weighted": Weighted,
    "es_rrf": ElasticsearchRRF,
    "es_linear": ElasticsearchLinear,
    "os_norm": OpenSearchNormalization,
    "os_rrf": OpenSearchRRF,
}
"""The kinds of fusion: `kind` picks the class, its fields are the schema."""
