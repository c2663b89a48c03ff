"""How alike two rankings are, from where the documents of one stand in the other.

`ranks` has one row a ranking: column j holds the rank, in the reference list, of the document at
rank j + 1, and 0 where the reference hasn't got it. Lengths are those of the whole lists.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from evaluator.measures import FloatArray, IntArray

DEPTH: Final = 10
"""Both are looked at to this depth."""
PERSISTENCE: Final = 0.9
"""RBO's p: the chance that a reader goes on to the next rank."""


def overlap(ranks: IntArray, lengths: IntArray, reference: IntArray) -> FloatArray:
    """What both have in their first ten, by the longer of the two; NaN if both are empty."""
    longer = _longer(lengths, reference)
    top = ranks[:, :DEPTH]
    shared = ((top > 0) & (top <= DEPTH)).sum(axis=1)
    return np.where(longer > 0, shared / np.maximum(longer, 1), np.nan)


def rbo(ranks: IntArray, lengths: IntArray, reference: IntArray) -> FloatArray:
    """Rank-biased overlap (Webber et al. 2010) cut at ten, scaled so that equal lists get 1.

    Sum over depths d of p ** (d - 1) * (shared to depth d) / d, by the same sum for equal lists.
    A shared document counts from the deeper of its two ranks on. NaN if both are empty.
    """
    longer = _longer(lengths, reference)
    top = ranks[:, :DEPTH]
    since = np.maximum(top, np.arange(1, top.shape[1] + 1))
    since[(top == 0) | (since > DEPTH)] = DEPTH + 1
    value = np.take_along_axis(_CREDIT[longer], since, axis=1).sum(axis=1)
    return np.where(longer > 0, value, np.nan)


def _longer(lengths: IntArray, reference: IntArray) -> IntArray:
    return np.minimum(np.maximum(lengths, reference), DEPTH)


def _credits() -> FloatArray:
    """[longest, rank]: what a document shared from `rank` on adds, in lists of `longest`."""
    table = np.zeros((DEPTH + 1, DEPTH + 2))
    for longest in range(1, DEPTH + 1):
        depths = np.arange(1, longest + 1)
        weights = PERSISTENCE ** (depths - 1.0)
        per_depth = weights / depths / weights.sum()
        table[longest, 1 : longest + 1] = per_depth[::-1].cumsum()[::-1]
    return table


_CREDIT: Final = _credits()
