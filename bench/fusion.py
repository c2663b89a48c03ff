"""Fusing two lists of 100 freshly parsed ids (overlap 40 %), top 10, against a naive RRF loop.

    python bench/fusion.py

The contenders take turns in one process; what counts is the ratio of the medians. The naive loop
has no total order: its ties fall as they come.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter
from typing import Any, Final

import msgspec

from proxy.fusion import RRF, Asked, LegTable, Weighted, fuse_all
from proxy.model import RankedList

QUERIES: Final = 200
ROUNDS: Final = 20
DEPTH: Final = 100
OVERLAP: Final = 40
TOP: Final = 10
LEGS: Final = ("bm25", "dense")

ONE: Final[Sequence[Asked]] = ((RRF(), LEGS),)
ELEVEN: Final[Sequence[Asked]] = tuple(
    (fusion, LEGS)
    for fusion in (
        RRF(),
        RRF(20),
        RRF(1),
        RRF(60, (("dense", 2.0),)),
        RRF(20, (("bm25", 0.3), ("dense", 0.7))),
        Weighted(),
        Weighted(weights=(("bm25", 0.3), ("dense", 0.7))),
        Weighted(weights=(("bm25", 0.7), ("dense", 0.3))),
        Weighted("l2"),
        Weighted("z_score"),
        Weighted("min_max", "geometric_mean"),
    )
)


def naive(lists: Sequence[RankedList]) -> list[tuple[str, float]]:
    """The loop that everybody writes first."""
    scores: dict[str, float] = {}
    for hits in lists:
        for rank, doc in enumerate(hits.ids, 1):
            scores[doc] = scores.get(doc, 0.0) + 1 / (60 + rank)
    return sorted(scores.items(), key=lambda item: item[1], reverse=True)[:TOP]


def ours(lists: Sequence[RankedList], asked: Sequence[Asked]) -> list[RankedList]:
    """Everything between the legs' lists and the fused ones, the table included."""
    return fuse_all(LegTable.of(dict(zip(LEGS, lists, strict=True))), asked, TOP)


def replies(seed: int) -> list[bytes]:
    """What two engines might say, as JSON: descending scores, ids of 20 characters."""
    rng = random.Random(seed)
    ids = [f"doc-{rng.getrandbits(64):016x}" for _ in range(2 * DEPTH - OVERLAP)]
    first, second = ids[:DEPTH], ids[DEPTH - OVERLAP :]
    rng.shuffle(second)
    return [
        msgspec.json.encode(list(zip(docs, sorted(scores, reverse=True), strict=True)))
        for docs, scores in (
            (first, [rng.uniform(2, 30) for _ in first]),
            (second, [rng.uniform(0.5, 1) for _ in second]),
        )
    ]


def main() -> None:
    """Print medians and ratios."""
    contenders: dict[str, Callable[[list[RankedList]], Any]] = {
        "naive RRF loop": naive,
        "one RRF": lambda lists: ours(lists, ONE),
        f"{len(ELEVEN)} fusions": lambda lists: ours(lists, ELEVEN),
    }
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    decode = msgspec.json.Decoder(list[tuple[str, float]]).decode
    traffic = [replies(seed) for seed in range(QUERIES)]
    for said in traffic * ROUNDS:
        for name, contender in contenders.items():
            # Fresh strings each time: no hash is cached yet.
            lists = [RankedList(*zip(*decode(reply), strict=True)) for reply in said]
            start = perf_counter()
            contender(lists)
            seconds[name].append(perf_counter() - start)
    base = median(seconds["naive RRF loop"])
    for name, taken in seconds.items():
        print(f"{name:16} {median(taken) * 1e6:7.1f} us   {median(taken) / base:5.2f}x")


if __name__ == "__main__":
    main()
