"""Dialects over whole tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proxy.fusion.dialect import Dialect
from proxy.fusion.ranking import best
from proxy.fusion.table import LegTable
from proxy.fusion.weights import LARGEST
from proxy.model import RankedList


def fuse_whole(
    fusions: Sequence[Dialect], table: LegTable, legs: tuple[str, ...], size: int
) -> list[RankedList]:
    """The `size` best of each fusion, ties by document id; every score is finite.

    An engine whose numbers overflow would answer with NaN: here that is 0, as in Elasticsearch.
    """
    ids = table.places(legs).ids
    scores = np.empty((len(fusions), len(ids)))
    with np.errstate(all="ignore"):
        for row, fusion in zip(scores, fusions, strict=True):
            row[:] = fusion.scores(table, legs)
    if not np.isfinite(scores).all():
        np.nan_to_num(scores, copy=False, nan=0.0, posinf=LARGEST, neginf=-LARGEST)
    return best(ids, scores, size)
