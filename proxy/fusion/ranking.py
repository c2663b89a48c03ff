"""The total order of scored documents: by score, then by document id."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from proxy.fusion.table import FloatArray
from proxy.model import RankedList

_LOWEST: Final = -sys.float_info.max


def best(ids: Sequence[str], scores: FloatArray, size: int) -> list[RankedList]:
    """The `size` best of each row of scores, (rows, documents); minus infinity is no document.

    The order is exact at the cut, too: all that score as high as the last one are sorted, and only
    they are.
    """
    rows, documents = scores.shape
    if size < 1 or not documents:
        return [RankedList()] * rows
    cut = max(0, documents - size)
    lowest = np.partition(scores, cut)[:, cut : cut + 1]
    places = (scores >= np.maximum(lowest, _LOWEST)).ravel().nonzero()[0]
    ends = places.searchsorted(np.arange(1, rows + 1) * documents).tolist()
    lows = (-scores.ravel()[places]).tolist()
    docs = map(ids.__getitem__, (places % documents).tolist())
    hits = list(zip(lows, docs, strict=True))
    return [_ranked(hits[start:end], size) for start, end in pairwise((0, *ends))]


def _ranked(hits: list[tuple[float, str]], size: int) -> RankedList:
    """The list of (minus score, id) pairs in order."""
    hits.sort()
    del hits[size:]
    return RankedList(tuple([doc for _, doc in hits]), tuple([-low for low, _ in hits]))
