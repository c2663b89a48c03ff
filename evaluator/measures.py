"""What a ranking is worth: measures as values, each with one definition over a batch of rankings.

A batch is a matrix of grades, one row a ranking and one column a rank: a grade from 0, `UNJUDGED`
where nothing is known of the document, `ABSENT` beyond the list's end. Beside it stands, row by
row, every grade known for the query, best first: what the ideal list is made of.
Definitions: trec_eval's, with the exponential gain as default (the ideal is cut at k).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import ClassVar, Final, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
Gain: TypeAlias = Literal["exp", "linear"]

UNJUDGED: Final = -1
"""The grade of a document that nobody judged; it gains nothing."""
ABSENT: Final = -2
"""The grade of a rank that the list does not reach."""
MAX_GRADE: Final = 30
"""Higher grades are refused: 2 ** grade must stay a number of ordinary size."""


class Measure(Protocol):
    """A number per ranking, in [0, 1], and a value that prints as it parses: `nDCG@10`.

    `k` is the cutoff, None for the whole list.
    """

    name: ClassVar[str]

    @property
    def k(self) -> int | None:
        """How deep it looks."""
        ...

    def scores(self, grades: IntArray, known: IntArray) -> FloatArray:
        """Of each row, shape (rows,); NaN where it is undefined (only `Judged` ever is)."""
        ...


def _written(measure: Measure) -> str:
    """Name, options that differ from their defaults, cutoff."""
    options = ",".join(
        f"{name}={value}"
        for name, parameter in signature(type(measure)).parameters.items()
        if name != "k" and (value := getattr(measure, name)) != parameter.default
    )
    cutoff = "" if measure.k is None else f"@{measure.k}"
    return measure.name + (f"({options})" if options else "") + cutoff


def score(measure: Measure, ranking: Sequence[str], grades: Mapping[str, int]) -> float | None:
    """One ranking against the grades of its query; a repeated document counts at its first rank.

    None where the measure is undefined. Raises ValueError for a grade outside 0 … 30.
    """
    if wrong := [grade for grade in grades.values() if not 0 <= grade <= MAX_GRADE]:
        raise ValueError(f"grade {wrong[0]} is not within 0 and {MAX_GRADE}")
    listed = [grades.get(doc, UNJUDGED) for doc in dict.fromkeys(ranking)]
    value = float(
        measure.scores(
            np.array([listed or [ABSENT]], dtype=np.int64),
            np.array([sorted(grades.values(), reverse=True) or [0]], dtype=np.int64),
        )[0]
    )
    return None if np.isnan(value) else value


@dataclass(frozen=True, slots=True)
class NDCG:
    """The discounted gain of the first k, as a share of the best that the known grades allow."""

    name: ClassVar[str] = "nDCG"
    __str__ = _written
    k: int | None = None
    gain: Gain = "exp"

    def scores(self, grades: IntArray, known: IntArray) -> FloatArray:
        """0 where nothing relevant is known."""
        return _ratio(self._dcg(grades), self._dcg(known))

    def _dcg(self, grades: IntArray) -> FloatArray:
        cut = np.maximum(grades[:, : self.k], 0)
        gains = cut.astype(np.float64) if self.gain == "linear" else np.ldexp(1.0, cut) - 1.0
        dcg: FloatArray = gains @ (1.0 / np.log2(np.arange(2, cut.shape[1] + 2)))
        return dcg


@dataclass(frozen=True, slots=True)
class RR:
    """One by the rank of the first document of grade `rel` or better; 0 where there is none."""

    name: ClassVar[str] = "RR"
    __str__ = _written
    k: int | None = None
    rel: int = 1

    def scores(self, grades: IntArray, known: IntArray) -> FloatArray:
        """Needs no ideal."""
        cut = grades[:, : self.k]
        first = (cut >= self.rel).argmax(axis=1) + 1.0
        return np.where(_count(cut, self.rel) > 0, 1.0 / first, 0.0)


@dataclass(frozen=True, slots=True)
class Success:
    """1 if a document of grade `rel` or better is among the first k (the hit rate), else 0."""

    name: ClassVar[str] = "Success"
    __str__ = _written
    k: int | None = None
    rel: int = 1

    def scores(self, grades: IntArray, known: IntArray) -> FloatArray:
        """Needs no ideal."""
        return np.where(_count(grades[:, : self.k], self.rel) > 0, 1.0, 0.0)


@dataclass(frozen=True, slots=True)
class Precision:
    """The share of k ranks with a document of grade `rel` or better, however short the list."""

    name: ClassVar[str] = "P"
    __str__ = _written
    k: int
    rel: int = 1

    def scores(self, grades: IntArray, known: IntArray) -> FloatArray:
        """Needs no ideal."""
        return _count(grades[:, : self.k], self.rel) / self.k


@dataclass(frozen=True, slots=True)
class Recall:
    """The share of all documents of grade `rel` or better that are among the first k."""

    name: ClassVar[str] = "R"
    __str__ = _written
    k: int | None = None
    rel: int = 1

    def scores(self, grades: IntArray, known: IntArray) -> FloatArray:
        """0 where nothing relevant is known."""
        return _ratio(_count(grades[:, : self.k], self.rel), _count(known, self.rel))


@dataclass(frozen=True, slots=True)
class AP:
    """Precision at each relevant document of the first k, summed, by all relevant documents."""

    name: ClassVar[str] = "AP"
    __str__ = _written
    k: int | None = None
    rel: int = 1

    def scores(self, grades: IntArray, known: IntArray) -> FloatArray:
        """0 where nothing relevant is known."""
        found = grades[:, : self.k] >= self.rel
        precision = found.cumsum(axis=1) / np.arange(1.0, found.shape[1] + 1.0)
        return _ratio((precision * found).sum(axis=1), _count(known, self.rel))


@dataclass(frozen=True, slots=True)
class Judged:
    """The share of the first k documents that are judged: how far to trust the other measures."""

    name: ClassVar[str] = "Judged"
    __str__ = _written
    k: int

    def scores(self, grades: IntArray, known: IntArray) -> FloatArray:
        """NaN for an empty list."""
        cut = grades[:, : self.k]
        listed = _count(cut, UNJUDGED)
        return np.where(listed > 0, _ratio(_count(cut, 0), listed), np.nan)


def _count(grades: IntArray, rel: int) -> FloatArray:
    counts: FloatArray = (grades >= rel).sum(axis=1).astype(np.float64)
    return counts


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    ratio: FloatArray = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
    return ratio
