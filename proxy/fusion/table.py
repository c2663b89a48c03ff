"""One retrieval as arrays: every document gets a number once, however many fusions follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from proxy.fusion.weights import LARGEST
from proxy.model import RankedList

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """What one leg found, best first: (hits,) documents by number, and their finite scores.

    `low` and `high` bound the scores; both are 0 where the leg found nothing.
    """

    documents: IntArray
    scores: FloatArray
    low: float
    high: float

    def spread(self, values: FloatArray, size: int, missing: float) -> FloatArray:
        """`values`, one per hit, by document number: (size,), `missing` for what wasn't found."""
        spread = np.full(size, missing)
        spread[self.documents] = values
        return spread


@dataclass(frozen=True, slots=True, eq=False)
class LegTable:
    """The lists of one retrieval by leg name, and the same as columns of document numbers.

    `ids` are the documents by number. A hit whose score isn't finite is dropped before ranks are
    counted, and its leg is one of `bad`. What fusions derive from the table is kept in it, so that
    they can share it; otherwise it never changes.
    """

    ids: tuple[str, ...]
    lists: Mapping[str, RankedList]
    columns: Mapping[str, Column]
    bad: tuple[str, ...]
    _numbers: Mapping[str, int] = field(repr=False)
    _derived: dict[object, FloatArray] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, lists: Mapping[str, RankedList]) -> LegTable:
        """The table of these lists, each document once in each."""
        return cls((), {}, {}, (), {}).joined(lists)

    def joined(self, lists: Mapping[str, RankedList]) -> LegTable:
        """This table with further legs; documents keep their numbers."""
        numbers = dict(self._numbers)
        kept, columns = dict(self.lists), dict(self.columns)
        bad = set(self.bad)
        for name, ranked in lists.items():
            scores, low, high = _scores(ranked)
            if not (low >= -LARGEST and high <= LARGEST):
                ranked = _only(ranked, np.abs(scores) <= LARGEST)
                scores, low, high = _scores(ranked)
                bad.add(name)
            kept[name] = ranked
            columns[name] = Column(_numbered(ranked.ids, numbers), scores, low, high)
        return LegTable(tuple(numbers), kept, columns, tuple(sorted(bad)), numbers)

    def nonnegative(self) -> LegTable:
        """This table without the hits that score below 0; the legs that had some are `bad`."""
        below = {name for name, column in self.columns.items() if column.low < 0}
        if not below:
            return self
        lists = {
            name: _only(ranked, self.columns[name].scores >= 0)
            for name, ranked in self.lists.items()
        }
        table = LegTable.of(lists)
        bad = tuple(sorted(below.union(self.bad)))
        return LegTable(table.ids, table.lists, table.columns, bad, table._numbers)

    def found(self, legs: tuple[str, ...]) -> IntArray | None:
        """The numbers of what any of `legs` found; None stands for all documents."""
        if len(legs) == len(self.columns):
            return None
        found = np.zeros(len(self.ids), np.bool_)
        for leg in legs:
            found[self.columns[leg].documents] = True
        return np.flatnonzero(found)

    def ranks(self, leg: str) -> FloatArray:
        """Each document's rank in the leg, (documents,): from 1, infinite where it isn't found."""

        def make() -> FloatArray:
            column = self.columns[leg]
            ranks = np.arange(1.0, len(column.documents) + 1)
            return column.spread(ranks, len(self.ids), np.inf)

        return self.derived(leg, make)

    def derived(self, key: object, make: Callable[[], FloatArray]) -> FloatArray:
        """What `make` derives from this table, made once per `key`."""
        made = self._derived.get(key)
        if made is None:
            made = self._derived[key] = make()
        return made


def _scores(ranked: RankedList) -> tuple[FloatArray, float, float]:
    """The scores, NaN for None, with the lowest and the highest of them (NaN if any is)."""
    scores = np.array(ranked.scores, np.float64)
    if not scores.size:
        return scores, 0.0, 0.0
    return scores, float(scores.min()), float(scores.max())


def _only(ranked: RankedList, kept: NDArray[np.bool_]) -> RankedList:
    """The hits that `kept` marks, in their order."""
    hits = np.flatnonzero(kept).tolist()
    return RankedList(
        tuple(ranked.ids[hit] for hit in hits), tuple(ranked.scores[hit] for hit in hits)
    )


def _numbered(ids: tuple[str, ...], numbers: dict[str, int]) -> IntArray:
    """The documents' numbers; one that is met for the first time gets the next and is added."""
    number = numbers.setdefault
    return np.array([number(doc, len(numbers)) for doc in ids], np.intp)
