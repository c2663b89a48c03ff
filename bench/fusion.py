"""Fusing two lists of 100 freshly parsed ids (overlap 40 %), top 10, against a naive RRF loop.

    python bench/fusion.py

Each takes turns with the naive loop in one process; what counts is the ratio of the medians.
The naive loop has no total order: its ties fall as they come.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any, Final, get_args

import msgspec

from proxy.fusion import (
    RRF,
    Asked,
    ElasticsearchLinear,
    ElasticsearchRRF,
    Fusion,
    LegTable,
    OpenSearchNormalization,
    OpenSearchRRF,
    Weighted,
    fuse_all,
)
from proxy.fusion.normalizations import Normalization
from proxy.fusion.weights import Weights
from proxy.model import RankedList

QUERIES: Final = 200
ROUNDS: Final = 20
DEPTH: Final = 100
OVERLAP: Final = 40
TOP: Final = 10
LEGS: Final = ("bm25", "dense")
Contender = Callable[[Sequence[RankedList]], Any]


def dense(share: float) -> Weights:
    """Weights with this share for the dense leg."""
    return (("bm25", 1 - share), ("dense", share))


ONE: Final[Sequence[Fusion]] = (RRF(),)
ELEVEN: Final[Sequence[Fusion]] = (
    *(RRF(constant) for constant in (1, 20, 60, 100)),
    *(RRF(60, dense(share)) for share in (0.3, 0.7)),
    *(Weighted(weights=dense(share)) for share in (0.1, 0.3, 0.5, 0.7, 0.9)),
)
"""Constants and weights of `rrf`, weights of `weighted` with min_max."""
VARIED: Final[Sequence[Fusion]] = (
    *(RRF(constant) for constant in (1, 20, 60)),
    RRF(60, dense(0.7)),
    *(Weighted(how, weights=dense(0.7)) for how in get_args(Normalization)),
    Weighted("min_max", "geometric_mean"),
    Weighted("min_max", "harmonic_mean"),
    Weighted("z_score"),
)
"""Every normalization and combination, which share less."""
DIALECT: Final[Sequence[Fusion]] = (OpenSearchNormalization(weights=dense(0.7)),)
DIALECTS: Final[Sequence[Fusion]] = (
    ElasticsearchRRF(),
    OpenSearchRRF(),
    *(ElasticsearchLinear("minmax", weights=dense(share)) for share in (0.3, 0.5, 0.7)),
    *(OpenSearchNormalization(weights=dense(share)) for share in (0.1, 0.3, 0.5, 0.7, 0.9)),
    OpenSearchNormalization("l2", "harmonic_mean"),
)
"""The engines' own fusions, which are computed with numpy even when there is just one."""


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


def duel(contender: Contender, traffic: Sequence[Sequence[bytes]]) -> tuple[float, float]:
    """Median seconds of the naive loop and of the contender, which take turns."""
    seconds: dict[Contender, list[float]] = {naive: [], contender: []}
    decode = msgspec.json.Decoder(list[tuple[str, float]]).decode
    for said in [*traffic] * ROUNDS:
        for fuse, taken in seconds.items():
            # Fresh strings each time: no hash is cached yet.
            lists = [RankedList(*zip(*decode(reply), strict=True)) for reply in said]
            start = perf_counter()
            fuse(lists)
            taken.append(perf_counter() - start)
    return median(seconds[naive]), median(seconds[contender])


def main() -> None:
    """Print medians and ratios."""
    traffic = [replies(seed) for seed in range(QUERIES)]
    contenders = {
        "one RRF": ONE,
        "eleven fusions": ELEVEN,
        "eleven, varied": VARIED,
        "one dialect": DIALECT,
        "eleven dialects": DIALECTS,
    }
    for name, fusions in contenders.items():
        asked = [(fusion, LEGS) for fusion in fusions]
        base, taken = duel(partial(ours, asked=asked), traffic)
        print(f"{name:15} {taken * 1e6:6.1f} us, naive {base * 1e6:5.1f} us: {taken / base:5.2f}x")


if __name__ == "__main__":
    main()
