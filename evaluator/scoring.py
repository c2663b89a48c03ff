"""What changes are worth: for each list of each changed impression, a row of numbers to add.

An impression that is new adds the rows of its lists; one that is corrected takes away the rows it
had (`sign` -1) and adds those it has now. Everything is computed at once, in matrices.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluator.grading import Grades
from evaluator.measures import ABSENT, UNJUDGED, FloatArray, IntArray, Judged, Measure
from evaluator.overlap import overlap, rbo

JUDGED: Final = Judged(10)


class Side(NamedTuple):
    """An impression as it was (`sign` -1) or is (1): a page of `size` documents and its grades.

    `shown` is its place among the changed ones.
    """

    shown: int
    sign: int
    size: int
    grades: Grades


class Ranked(NamedTuple):
    """A list to score against a side: the rank each document has in the served list, or 0.

    `served` is the length of that list. `compared` says that likeness to it means something.
    """

    side: int
    ranks: bytes
    served: int
    compared: bool


@dataclass(frozen=True, slots=True)
class Scores:
    """One row a list: measures (rows, measures); judged, overlap and RBO, NaN where undefined."""

    measures: FloatArray
    judged: FloatArray
    overlap: FloatArray
    rbo: FloatArray


def scores(sides: Sequence[Side], lists: Sequence[Ranked], measures: Sequence[Measure]) -> Scores:
    """Score every list against its side's grades."""
    lengths = np.array([len(ranked.ranks) for ranked in lists], dtype=np.int64)
    depth = max(10, int(lengths.max(initial=0)), max((side.size for side in sides), default=0))
    ranks = _padded(lists, lengths, depth)
    of_side = np.array([ranked.side for ranked in lists], dtype=np.int64)
    known = _known(sides)[of_side]
    served = np.array([ranked.served for ranked in lists], dtype=np.int64)
    compared = np.array([ranked.compared for ranked in lists], dtype=np.bool_)
    graded = np.take_along_axis(_grades_by_rank(sides, depth)[of_side], ranks, axis=1)
    found = np.where(ranks > depth, 0, ranks)
    return Scores(
        np.stack([measure.scores(graded, known) for measure in measures], axis=1),
        JUDGED.scores(graded, known),
        np.where(compared, overlap(found, lengths, served), np.nan),
        np.where(compared, rbo(found, lengths, served), np.nan),
    )


def _padded(lists: Iterable[Ranked], lengths: IntArray, depth: int) -> IntArray:
    """Served ranks by rank, (lists, depth): depth + 1 beyond a list's end."""
    ranks = np.full((len(lengths), depth), depth + 1, dtype=np.int64)
    flat = np.frombuffer(b"".join(ranked.ranks for ranked in lists), dtype=np.uint8)
    ranks[np.arange(depth) < lengths[:, None]] = flat
    return ranks


def _grades_by_rank(sides: Sequence[Side], depth: int) -> IntArray:
    """Of each side, by served rank from 0 to depth + 1: unjudged unless the page showed it."""
    sizes = np.array([side.size for side in sides], dtype=np.int64)
    column = np.arange(depth + 2)
    table = np.where((column > 0) & (column <= sizes[:, None]), 0, UNJUDGED)
    table[:, depth + 1] = ABSENT
    at, ranks, values = _graded(sides)
    table[at, ranks] = values
    return table


def _known(sides: Sequence[Side]) -> IntArray:
    """Each side's grades, best first: (sides, most grades of any); 0 beyond them."""
    width = max((len(side.grades) for side in sides), default=0)
    known = np.zeros((len(sides), max(1, width)), dtype=np.int64)
    at, _, values = _graded(sides)
    first = np.searchsorted(at, at)
    known[at, np.arange(len(at)) - first] = values
    return -np.sort(-known, axis=1)


def _graded(sides: Sequence[Side]) -> tuple[IntArray, IntArray, IntArray]:
    """Every grade: which side, which served rank, which grade."""
    triples = [(at, rank, grade) for at, side in enumerate(sides) for rank, grade in side.grades]
    table: NDArray[np.int64] = np.array(triples, dtype=np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]
