"""The total order of scored documents, for many scorings at once: by score, then by document id."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proxy.fusion.table import FloatArray
from proxy.model import RankedList


def best(ids: Sequence[str], scores: FloatArray, size: int) -> list[RankedList]:
    """The `size` best documents of each row of scores, (rows, documents).

    The order is exact at the cut, too: what scores at least as high as a row's last one is sorted,
    by id for all rows at once and then, keeping that order among equals, by each row's scores.
    """
    rows, documents = scores.shape
    near = _near(scores, size) if 0 < size < documents else list(range(documents))
    near.sort(key=ids.__getitem__)
    among = scores.take(near, axis=1)
    order = (-among).argsort(axis=1, kind="stable")[:, : max(0, size)]
    docs = np.array([ids[number] for number in near], object).take(order).tolist()
    order += np.arange(rows)[:, np.newaxis] * len(near)
    values = among.take(order).tolist()
    return [RankedList(tuple(row), tuple(best)) for row, best in zip(docs, values, strict=True)]


def _near(scores: FloatArray, size: int) -> list[int]:
    """The documents that are among the `size` best of some row, or tied with the last of them."""
    cut = scores.shape[1] - size
    parted = scores.copy()
    parted.partition(cut)
    kept = np.logical_or.reduce(scores >= parted[:, cut : cut + 1])
    near: list[int] = kept.nonzero()[0].tolist()
    return near
