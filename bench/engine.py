"""The embedded engine on SciFact: nDCG@10 of the plain strategies, and what a search takes.

    python bench/engine.py            (data in $SHADOWRANK_DATA, default ../shared/data)

nDCG is trec_eval's (linear gain) over the 300 test claims, legs of 100; fusions are computed
plainly here.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import mean, median
from time import perf_counter

import numpy as np
import pytrec_eval

from proxy.backends import Question
from proxy.backends.embedded import Embedded
from proxy.backends.embedded.engine import Engine
from proxy.backends.embedded.fields import Field, Index
from proxy.legs import Leg
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.model import RankedList

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("SHADOWRANK_DATA", ROOT.parent / "shared" / "data")) / "scifact"
ENGLISH = Field("text", "english")
INDEX = Index(
    DATA / "corpus.jsonl", (("title", ENGLISH), ("text", ENGLISH)), DATA / "doc-vectors.f16.npy"
)
BM25 = Lexical("local", "scifact", ("title", "text"))
DENSE = Knn("local", "scifact", "embedding")

Run = dict[str, dict[str, float]]


async def main() -> None:
    """Print it all."""
    with tempfile.TemporaryDirectory() as folder:
        recipe = Embedded((("scifact", INDEX),), Path(folder))
        print(f"built in {await opening(recipe):.2f} s")
        print(f"restarted from the cache in {await opening(recipe):.2f} s")
        async with recipe.open("local", "live") as engine:
            await report(engine)


async def opening(recipe: Embedded) -> float:
    """The seconds it takes to open; nothing of it stays in memory."""
    began = perf_counter()
    async with recipe.open("local", "live"):
        return perf_counter() - began


async def report(engine: Engine) -> None:
    """Run every claim through both legs, then fuse and measure."""
    queries = [json.loads(line) for line in (DATA / "queries.jsonl").open()]
    vectors = np.load(DATA / "query-vectors.f16.npy").astype(np.float32)
    questions = {
        query["_id"]: Question(query["text"], vector=vector)
        for query, vector in zip(queries, vectors, strict=True)
    }
    bm25 = await legs(engine, BM25, questions)
    dense = await legs(engine, DENSE, questions)
    fused = {
        "rrf60": {q: rrf(bm25[q], dense[q]) for q in questions},
        "min_max .5/.5": {q: halves(bm25[q], dense[q]) for q in questions},
    }
    for name, run in {"bm25": scores(bm25), "dense": scores(dense), **fused}.items():
        print(f"{name:<14} nDCG@10 {ndcg(run):.4f}")


async def legs(
    engine: Engine, leg: Leg, questions: Mapping[str, Question]
) -> dict[str, RankedList]:
    """One leg's list for every claim; prints how long a search takes, one at a time."""
    found, seconds = {}, []
    for query, question in questions.items():
        began = perf_counter()
        found[query] = (await engine.search(leg, question)).ranked
        seconds.append(perf_counter() - began)
    high = float(np.quantile(seconds, 0.99))
    name = type(leg).__name__.lower()
    print(f"{name:<14} p50 {1e3 * median(seconds):.2f} ms, p99 {1e3 * high:.2f} ms")
    return found


def scores(lists: Mapping[str, RankedList]) -> Run:
    """Lists as trec_eval takes them; a rank's own score, so that its ties stay in our order."""
    return {
        query: {i: 1 / rank for rank, i, _ in ranked.ranks()} for query, ranked in lists.items()
    }


def rrf(*lists: RankedList) -> dict[str, float]:
    """Reciprocal rank fusion, constant 60."""
    fused: dict[str, float] = {}
    for ranked in lists:
        for rank, document, _ in ranked.ranks():
            fused[document] = fused.get(document, 0.0) + 1 / (60 + rank)
    return fused


def halves(*lists: RankedList) -> dict[str, float]:
    """The mean of min_max-normalised scores (.001 for a list's last, 0 where a list lacks it)."""
    fused: dict[str, float] = {}
    for ranked in lists:
        if not ranked.ids:
            continue
        values = np.array(ranked.scores, np.float64)
        low, high = values.min(), values.max()
        normal = 0.001 + 0.999 * (values - low) / (high - low) if high > low else values * 0 + 1
        for document, score in zip(ranked.ids, normal.tolist(), strict=True):
            fused[document] = fused.get(document, 0.0) + score / len(lists)
    return fused


def ndcg(run: Run) -> float:
    """Mean nDCG@10 over the claims with judgments."""
    qrels: dict[str, dict[str, int]] = {}
    for query, _, document, grade in rows((DATA / "qrels.txt").open()):
        qrels.setdefault(query, {})[document] = int(grade)
    each = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"}).evaluate(run)
    return mean(each[query]["ndcg_cut_10"] if query in each else 0.0 for query in qrels)


def rows(lines: Iterable[str]) -> Iterable[list[str]]:
    """The columns of a TREC file."""
    return (line.split() for line in lines)


if __name__ == "__main__":
    asyncio.run(main())
