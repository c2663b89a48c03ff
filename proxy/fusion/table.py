"""One retrieval as arrays: every document gets a number once, however many fusions follow."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from math import hypot
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from proxy.fusion.weights import LARGEST
from proxy.model import RankedList

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class LegTable:
    """The lists of one retrieval by leg name, and the same as numbers of documents.

    `ids` are all lists' ids one after the other, and a document's number is where it stands there
    first; at its other places stands nobody. `documents` are each leg's hits by number, best first.
    A hit whose score isn't finite is dropped before ranks are counted, and its leg is one of `bad`.
    What fusions derive from the table is kept in it, so that they can share it; otherwise it never
    changes.
    """

    ids: tuple[str, ...]
    lists: Mapping[str, RankedList]
    documents: Mapping[str, IntArray]
    bad: tuple[str, ...]
    _numbers: Mapping[str, int] = field(repr=False)
    _derived: dict[Hashable, FloatArray] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, lists: Mapping[str, RankedList]) -> LegTable:
        """The table of these lists, each of which has a document once."""
        return cls((), {}, {}, (), {}).joined(lists)

    def joined(self, lists: Mapping[str, RankedList]) -> LegTable:
        """This table with further legs; documents keep their numbers."""
        ids, numbers = self.ids, dict(self._numbers)
        kept, documents, bad = dict(self.lists), dict(self.documents), set(self.bad)
        for name, given in lists.items():
            ranked = _finite(given)
            if ranked is not given:
                bad.add(name)
            size = len(ranked.ids)
            places = range(len(ids), len(ids) + size)
            found = map(numbers.setdefault, ranked.ids, places)
            documents[name] = np.fromiter(found, np.intp, size)
            kept[name] = ranked
            ids += ranked.ids
        return LegTable(ids, kept, documents, tuple(sorted(bad)), numbers)

    def nonnegative(self) -> LegTable:
        """This table without the hits that score below 0; the legs that had some are `bad`."""
        kept = {name: self.scores(name) >= 0 for name in self.lists}
        below = {name for name, hits in kept.items() if not hits.all()}
        if not below:
            return self
        table = LegTable.of({name: _only(self.lists[name], hits) for name, hits in kept.items()})
        bad = tuple(sorted(below.union(self.bad)))
        return LegTable(table.ids, table.lists, table.documents, bad, table._numbers)

    def scores(self, leg: str) -> FloatArray:
        """The scores of the leg's hits, (hits,), best first and all finite."""
        return np.array(self.lists[leg].scores, np.float64)

    def spread(self, leg: str, values: FloatArray, missing: float) -> FloatArray:
        """`values`, one per hit of `leg`, by document number: (places,), `missing` elsewhere."""
        spread = np.zeros(len(self.ids))
        if missing:
            spread.fill(missing)
        spread[self.documents[leg]] = values
        return spread

    def absent(self, legs: tuple[str, ...]) -> FloatArray:
        """What hides the documents that none of `legs` found: (places,), minus infinity, else 0."""

        def make() -> FloatArray:
            absent = np.full(len(self.ids), -np.inf)
            for leg in legs:
                absent[self.documents[leg]] = 0
            return absent

        return self.derived(legs, make)

    def derived(self, key: Hashable, make: Callable[[], FloatArray]) -> FloatArray:
        """What `make` derives from this table, made once per `key`."""
        made = self._derived.get(key)
        if made is None:
            made = self._derived[key] = make()
        return made


def _finite(ranked: RankedList) -> RankedList:
    """The same list if every score is a number within the bound, else those hits of it."""
    with suppress(TypeError):  # a score is None
        if hypot(*ranked.scores) <= LARGEST:  # type: ignore[arg-type]
            return ranked
    within = np.abs(np.array(ranked.scores, np.float64)) <= LARGEST
    return ranked if within.all() else _only(ranked, within)


def _only(ranked: RankedList, kept: NDArray[np.bool_]) -> RankedList:
    """The hits that `kept` marks, in their order."""
    hits = np.flatnonzero(kept).tolist()
    return RankedList(
        tuple(ranked.ids[hit] for hit in hits), tuple(ranked.scores[hit] for hit in hits)
    )
