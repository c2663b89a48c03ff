"""Exact vector search: every vector is compared, in float32, and the best again in float64.

Scores are Lucene's: (1 + cos) / 2 for `cosine`, (1 + dot) / 2 for `dot` over vectors of length 1
(Elasticsearch's `dot_product` reports that, and refuses other lengths, as this does).
"""

from __future__ import annotations

from pathlib import Path
from tokenize import TokenError
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from config.errors import ConfigError
from proxy.backends import Vector
from proxy.backends.embedded.corpus import some
from proxy.backends.embedded.fields import Similarity
from proxy.backends.embedded.text_index import Ordinals
from proxy.errors import BackendRefused

Matrix = NDArray[np.float32]

TOLERANCE: Final = 1e-3
"""How far a squared length may be from 1 under `dot`: Elasticsearch's."""
_SLACK: Final = 1e-5
"""More than float32 sums of products of unit vectors can be wrong by."""


class Vectors:
    """The vectors of an index, by ordinal. Immutable; searched from any thread."""

    def __init__(self, stored: Matrix, similarity: Similarity) -> None:
        """`stored` has one row a document, in order of ids, all finite."""
        self._similarity = similarity
        self._stored = stored
        self._stored.setflags(write=False)
        lengths = np.sqrt(_squares(stored)) if similarity == "cosine" else np.ones(len(stored))
        self._scale = 1 / lengths

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return int(self._stored.shape[1])

    def row(self, ordinal: int) -> Vector:
        """One document's vector, as stored; read-only."""
        row: Vector = self._stored[ordinal]
        return row

    def nearest(
        self, query: Vector, window: int, among: Ordinals | None
    ) -> tuple[list[int], list[float]]:
        """Ordinals and scores of the nearest `among` some or all documents, ties by ordinal.

        Raises BackendRefused for a query vector that can't be compared.
        """
        asked = self._checked(query)
        # Row by row, not as one product: BLAS would use threads that live and shadows share.
        rough = np.vecdot(self._stored, asked.astype(np.float32)) * self._scale
        places = np.arange(len(rough)) if among is None else among
        rough = rough[places]
        if window < len(places):
            edge = np.partition(rough, len(rough) - window)[len(rough) - window]
            places = places[rough >= edge - _SLACK]
        # Again in double precision, so that a score is its vector's alone and equal ones tie.
        exact = np.vecdot(self._stored[places].astype(np.float64), asked)
        scores = ((1 + exact * self._scale[places]) / 2).astype(np.float32)
        order = np.lexsort((places, -scores))[:window]
        return places[order].tolist(), scores[order].tolist()

    def _checked(self, query: Vector) -> NDArray[np.float64]:
        asked = np.asarray(query, np.float64)
        if asked.shape != (self.dimension,):
            raise BackendRefused(f"vector of shape {asked.shape}, not ({self.dimension},)")
        length = float(np.sqrt(asked @ asked))
        if not np.isfinite(length):
            raise BackendRefused("vector with NaN or infinity")
        if self._similarity == "dot":
            if abs(length**2 - 1) > TOLERANCE:
                raise BackendRefused(f"vector of length {length:.4f}; `dot` compares length 1")
            return asked
        if length == 0:
            raise BackendRefused("vector of length 0; it has no cosine")
        return asked / length


def load(path: Path, ids: tuple[str, ...], lines: Ordinals, similarity: Similarity) -> Matrix:
    """A .npy file's vectors in order of ids: row i of the file belongs to line i of the corpus.

    Raises ConfigError naming lines and ids.
    """
    try:
        read = mapped(path)
    except (OSError, ValueError) as exc:
        raise ConfigError(str(path), [f"cannot be read as .npy: {exc}"]) from exc
    if read.ndim != 2 or read.dtype not in (np.float16, np.float32) or not read.shape[1]:
        what = f"is {read.dtype} of shape {read.shape}"
        wanted = "float16 or float32 of (documents, dimension)"
        raise ConfigError(str(path), [f"{what}, not {wanted}"])
    if len(read) != len(ids):
        raise ConfigError(str(path), [f"{len(read)} vectors for {len(ids)} documents"])
    matrix = np.ascontiguousarray(read[lines], np.float32)
    if problems := _problems(matrix, ids, lines, similarity):
        raise ConfigError(str(path), some(problems))
    return matrix


def mapped(path: Path) -> NDArray[Any]:
    """A .npy file's matrix, read as it is needed. Raises OSError, and ValueError if it is none."""
    try:
        # Not numpy.load: it takes whatever it can't read for a pickle, and advises to trust it.
        return np.lib.format.open_memmap(path, mode="r")
    except (ValueError, SyntaxError, TokenError) as exc:
        what = "it is cut short or something else than numbers written by numpy.save"
        raise ValueError(what) from exc


def _problems(
    matrix: Matrix, ids: tuple[str, ...], lines: Ordinals, similarity: Similarity
) -> list[str]:
    squares = _squares(matrix)
    finite = squares < np.finfo(np.float32).max
    if similarity == "dot":
        wrong, what = finite & (np.abs(squares - 1) > TOLERANCE), "is not of length 1 (`dot`)"
    else:
        wrong, what = squares == 0, "is of length 0, which has no cosine"
    bad = sorted(np.flatnonzero(~finite | wrong).tolist(), key=lines.__getitem__)
    return [
        f"row {lines[place]} (line {lines[place] + 1}), id {ids[place]!r}: "
        f"{what if finite[place] else 'holds NaN, infinity or numbers too large'}"
        for place in bad
    ]


def _squares(matrix: Matrix) -> NDArray[np.float64]:
    """The squared length of each row."""
    squares: NDArray[np.float64] = np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64)
    return squares
