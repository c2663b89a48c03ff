"""What the legs of one retrieval found, fit to be fused."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import hypot
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from proxy.fusion.places import Places
from proxy.fusion.weights import LARGEST
from proxy.model import RankedList

FloatArray: TypeAlias = NDArray[np.float64]
SingleArray: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class LegTable:
    """The lists of one retrieval by leg name, each document once in each, all scores finite.

    A hit whose score isn't finite was dropped, so that those after it moved up a rank, and its leg
    is one of `bad`. What fusions compute from its hits they keep in `values` and `singles` for
    others; nothing else ever changes.
    """

    lists: Mapping[str, RankedList]
    bad: tuple[str, ...]
    values: dict[Hashable, FloatArray] = field(default_factory=dict, repr=False)
    singles: dict[Hashable, SingleArray] = field(default_factory=dict, repr=False)
    _places: dict[tuple[str, ...], Places] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, lists: Mapping[str, RankedList]) -> LegTable:
        """The table of lists as backends bring them."""
        finite = {name: _finite(ranked) for name, ranked in lists.items()}
        return cls(finite, tuple(name for name in sorted(lists) if finite[name] is not lists[name]))

    def joined(self, lists: Mapping[str, RankedList]) -> LegTable:
        """A table with further legs."""
        more = LegTable.of(lists)
        return LegTable({**self.lists, **more.lists}, tuple(sorted({*self.bad, *more.bad})))

    @cached_property
    def nonnegative(self) -> LegTable:
        """This table without the hits that score below 0; the legs that had some are `bad`."""
        kept = {name: self.scores(name) >= 0 for name in self.lists}
        below = {name for name, hits in kept.items() if not hits.all()}
        if not below:
            return self
        lists = {name: _only(self.lists[name], hits) for name, hits in kept.items()}
        return LegTable(lists, tuple(sorted(below.union(self.bad))))

    @cached_property
    def collected(self) -> LegTable:
        """This table without the hits that score 0, which is nothing bad."""
        kept = {name: self.single(name) != 0 for name in self.lists}
        if all(hits.all() for hits in kept.values()):
            return self
        lists = {name: _only(self.lists[name], hits) for name, hits in kept.items()}
        return LegTable(lists, self.bad)

    def scores(self, leg: str) -> FloatArray:
        """The scores of the leg's hits, (hits,), best first."""
        scores = cast("tuple[float, ...]", self.lists[leg].scores)
        return np.fromiter(scores, np.float64, len(scores))

    def single(self, leg: str) -> SingleArray:
        """The same as its engine holds them, in single precision; not to be changed."""
        scores = self.singles.get(leg)
        if scores is None:
            scores = self.singles[leg] = self.scores(leg).astype(np.float32)
            scores.flags.writeable = False
        return scores

    def sizes(self, legs: tuple[str, ...]) -> tuple[int, ...]:
        """How many hits each of `legs` has."""
        return tuple([len(self.lists[leg].ids) for leg in legs])

    def places(self, legs: tuple[str, ...]) -> Places:
        """Where documents stand when the lists of `legs` are written one after the other."""
        places = self._places.get(legs)
        if places is None:
            places = self._places[legs] = Places.of([self.lists[leg].ids for leg in legs])
        return places


def _finite(ranked: RankedList) -> RankedList:
    """The same list if every score is a number within the bound, else those hits of it."""
    try:
        # The root of their squares is within it only if each is, and NaN never is.
        bounded = hypot(*cast("tuple[float, ...]", ranked.scores)) <= LARGEST
    except TypeError:
        bounded = False  # one is None
    if bounded:
        return ranked
    within = np.abs(np.array(ranked.scores, np.float64)) <= LARGEST
    return ranked if within.all() else _only(ranked, within)


def _only(ranked: RankedList, kept: NDArray[np.bool_]) -> RankedList:
    """The hits that `kept` marks, in their order."""
    hits = np.flatnonzero(kept).tolist()
    return RankedList(
        tuple(ranked.ids[hit] for hit in hits), tuple(ranked.scores[hit] for hit in hits)
    )
