"""What a model answered, as vectors that may be searched with: checked, and scaled if asked."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np

from proxy.backends import Vector
from proxy.errors import BackendError

Row: TypeAlias = Sequence[float] | str
"""One vector as services write it: its numbers, or base64 of little-endian float32."""

LONGEST: Final = 65_536


def checked(
    rows: Sequence[Row], count: int, dimension: int | None, *, normalize: bool
) -> list[Vector | BackendError]:
    """A vector for each of `count` texts, or why that text has none.

    Raises BackendError where the whole answer is in doubt: too few or too many, or another length
    than `dimension` (None: than the first).
    """
    if len(rows) != count:
        raise BackendError(f"{len(rows)} vectors for {count} texts")
    vectors = [_numbers(row) for row in rows]
    expected = dimension or len(vectors[0])
    for vector in vectors:
        if len(vector) != expected or not 0 < expected <= LONGEST:
            raise BackendError(f"a vector of {len(vector)} numbers, not {expected}")
    return [_usable(vector, normalize) for vector in vectors]


def _numbers(row: Row) -> Vector:
    if not isinstance(row, str):
        with np.errstate(over="ignore"):  # becomes infinite, which `_usable` sees
            return np.array(row, np.float32)
    try:
        return np.frombuffer(b64decode(row, validate=True), "<f4").astype(np.float32)
    except (binascii.Error, ValueError) as exc:
        raise BackendError("a vector that is no base64 of float32") from exc


def _usable(vector: Vector, normalize: bool) -> Vector | BackendError:
    """The vector, unless nothing can be near it."""
    exact = vector.astype(np.float64)
    length = float(np.linalg.norm(exact))
    if not np.isfinite(length):
        return BackendError("a vector with a number that isn't finite")
    if length == 0:
        return BackendError("a vector of zeros")
    usable: Vector = (exact / length).astype(np.float32) if normalize else vector
    usable.setflags(write=False)
    return usable
