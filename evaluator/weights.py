"""Bootstrap weights that need no state: a function of who searched, for what, and the replicate.

The weight of an impression under replicate b is Poisson(1) drawn from hash(user, b) times
Poisson(1) drawn from hash(query key, b) (Owen and Eckles 2012, product reweighting), so that
replicates of different buckets, shards and corrections belong together and simply add.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, factorial
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from proxy.model import digest

REPLICATES: Final = 200
Weights: TypeAlias = NDArray[np.uint8]
Seeds: TypeAlias = NDArray[np.uint64]

_PER_WORD: Final = 4  # 16-bit draws in a 64-bit word
_STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_COUNTERS: Final = np.arange(1, REPLICATES // _PER_WORD + 1, dtype=np.uint64) * _STEP


def weights(users: Sequence[bytes], queries: Sequence[bytes]) -> Weights:
    """Of each impression under each replicate: (impressions, 200), whole numbers of mean 1."""
    drawn: Weights = poisson(seeds(b"user", users))
    drawn *= poisson(seeds(b"query", queries))
    return drawn


def poisson(seeds: Seeds) -> Weights:
    """200 draws of Poisson(1) from each seed: (seeds, 200).

    Counter-based: splitmix64 of seed and counter gives four 16-bit numbers, each of which a table
    of the distribution's quantiles turns into a draw (to 2 ** -16, so at most 8).
    """
    words = seeds[:, None] + _COUNTERS
    words ^= words >> np.uint64(30)
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    drawn: Weights = _QUANTILES[words.view(np.uint16)]
    return drawn


def seeds(kind: bytes, keys: Sequence[bytes]) -> Seeds:
    """A hash of each key; `kind` keeps a user and a query with the same key apart."""
    known = {key: int.from_bytes(digest(kind, key), "big") for key in set(keys)}
    return np.fromiter(map(known.__getitem__, keys), dtype=np.uint64, count=len(keys))


def _quantiles() -> Weights:
    chances = np.cumsum([exp(-1) / factorial(k) for k in range(12)])
    table = np.searchsorted(chances, (np.arange(1 << 16) + 0.5) / (1 << 16))
    return table.astype(np.uint8)


_QUANTILES: Final = _quantiles()
