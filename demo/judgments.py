"""The truth that users' clicks only hint at: nDCG from the collection's own judgments. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from math import fsum, log2

DEPTH = 10


def ndcg(ranking: Sequence[str], relevant: Set[str], k: int = DEPTH) -> float:
    """nDCG@k with linear gain over grades 0 and 1; 0 where nothing is relevant.

    >>> ndcg(["a", "b"], {"b"})
    0.6309297535714575
    """
    ideal = fsum(1 / log2(rank + 1) for rank in range(1, min(k, len(relevant)) + 1))
    gained = fsum(
        1 / log2(rank + 1) for rank, doc_id in enumerate(ranking[:k], start=1) if doc_id in relevant
    )
    return gained / ideal if ideal else 0.0


def mean(values: Iterable[float]) -> float | None:
    """The average, or None where there is nothing to average."""
    known = list(values)
    return fsum(known) / len(known) if known else None
