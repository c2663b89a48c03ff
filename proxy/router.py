"""Who gets which pipeline, which shadows see a query, where its records go: by hash alone.

Every process decides alike, without remembering anybody.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf, log
from typing import TypeVar

from proxy.model import digest, unit

T = TypeVar("T")


def sticky_key(user: bytes | None, session: bytes | None, nonce: bytes) -> bytes:
    """What a decision sticks to: the user, else the session, else the query."""
    return user or session or nonce


def shard_of(key: bytes, shards: int) -> int:
    """The shard of a sticky key: all records of a user stay in order."""
    return int.from_bytes(digest(b"shard", key), "big") % shards


def choose(route: str, shares: Sequence[tuple[str, float]], key: bytes) -> int:
    """The index of the pipeline that `key` gets, each with the probability of its share.

    Weighted rendezvous hashing: a pipeline's score depends on its own name and share alone, so
    that raising one share at the others' expense takes nobody out of it.
    """
    if len(shares) == 1:
        return 0
    scores = [
        _score(share, unit(b"live", route.encode(), name.encode(), key)) for name, share in shares
    ]
    return scores.index(max(scores))


def _score(share: float, uniform: float) -> float:
    """`share / -ln(uniform)`: the largest of several wins with the probability of its share."""
    if share <= 0 or uniform <= 0:
        return -inf if share <= 0 else 0.0
    return share / -log(uniform)


def sampled(route: str, shadows: Iterable[tuple[T, float]], nonce: bytes) -> tuple[T, ...]:
    """The shadows that see this query. One number for all: equal rates see the same queries, and a
    rate that is raised keeps those it had.
    """
    drawn = unit(b"shadow", route.encode(), nonce)
    return tuple(shadow for shadow, rate in shadows if drawn < rate)
