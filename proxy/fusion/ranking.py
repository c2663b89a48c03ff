"""The total order of scored documents: by score, then by document id."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proxy.fusion.table import FloatArray, IntArray
from proxy.model import RankedList


def best(ids: Sequence[str], scores: FloatArray, found: IntArray | None, size: int) -> RankedList:
    """The `size` best documents among the numbers `found` (None: all), exact at the cut, too.

    Only what scores at least as high as the last of them is sorted.
    """
    among = scores if found is None else scores[found]
    cut = among.size - size
    if cut > 0 and size > 0:
        kept = np.flatnonzero(among >= np.partition(among, cut)[cut])
        among = among[kept]
        found = kept if found is None else found[kept]
    documents = ids if found is None else map(ids.__getitem__, found.tolist())
    order = sorted(zip((-among).tolist(), documents, strict=True))[: max(size, 0)]
    return RankedList(tuple(doc for _, doc in order), tuple(-low for low, _ in order))
