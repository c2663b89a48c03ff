"""Documents as numbers: where each first stands when several lists are written in a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Several lists of ids in a row, and where each document stands in each of them.

    `ids` are the documents, each once. `of_lists` has a row for each list, (documents,): the place
    of each document in the row of all lists, or their end where the list doesn't have it.
    """

    ids: tuple[str, ...]
    of_lists: IntArray

    @classmethod
    def of(cls, lists: Sequence[tuple[str, ...]]) -> Places:
        """The places of these lists, each of which has a document once."""
        end = sum(map(len, lists))
        numbers: dict[str, int] = {}
        # By the place where a document stands first; at its other places stands nobody.
        sparse = np.empty((len(lists), end), np.intp)
        sparse.fill(end)
        start = 0
        for row, docs in zip(sparse, lists, strict=True):
            size = len(docs)
            places = range(start, start + size)
            first = np.fromiter(map(numbers.setdefault, docs, places), np.intp, size)
            row[first] = np.arange(start, start + size)
            start += size
        taken = np.fromiter(numbers.values(), np.intp, len(numbers))
        return cls(tuple(numbers), sparse.take(taken, axis=1))
