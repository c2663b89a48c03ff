"""nDCG@10 of SciFact's 300 claims, by the same four pipelines over every engine, in one table.

    python -m bench.quality [ENGINE...]        (default: all of tests/engines/recipes.py)

A pipeline is what a configuration comes to, asked as a shadow is: every leg once a claim, all
fusions at once. Claims bring their vectors. The embedded engine is the first row, and every other
row is about how far a real engine is from it.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final, TypeAlias

import numpy as np

from config.loader import load
from demo.collection import Claim
from evaluator.measures import score
from evaluator.notation import parse
from proxy.build import build
from proxy.clients import Parts
from proxy.model import MAX_DEPTH, Query, RankedList
from proxy.pipeline import run_all
from proxy.retrieval import Retrieval
from tests.engines.building import built
from tests.engines.cluster import Engine, at
from tests.engines.node import Node
from tests.engines.recipes import RECIPES
from tests.engines.scifact import Collection, shipped

Runs: TypeAlias = Mapping[str, Sequence[RankedList]]
"""By pipeline, what it made of each claim, in their order, `MAX_DEPTH` deep."""

EMBEDDED: Final = "embedded"
ROUTE: Final = "claims"
AT_ONCE: Final = 4
PATIENCE_MS: Final = 60_000
"""Quality is what is measured, so nothing may be late."""
NDCG: Final = parse("nDCG@10")
HALF: Final = {"bm25": 0.5, "dense": 0.5}
PIPELINES: Final[Mapping[str, Mapping[str, Any]]] = {
    "bm25": {"legs": ["bm25"]},
    "dense": {"legs": ["dense"]},
    "rrf60": {"legs": ["bm25", "dense"], "fusion": {"kind": "rrf", "rank_constant": 60}},
    "min_max": {
        "legs": ["bm25", "dense"],
        "fusion": {"kind": "weighted", "normalization": "min_max", "weights": HALF},
    },
}


def over_cluster(engine: Engine) -> dict[str, Any]:
    """The backend that is this engine."""
    return {"kind": engine.kind, "hosts": [engine.url], "fetch_timeout_ms": PATIENCE_MS}


def over_files(collection: Collection, index: str, folder: Path) -> dict[str, Any]:
    """The embedded backend over the same documents, which are written to `folder`."""
    rows = [{**each, "id": each["_id"]} for each in collection.documents]
    corpus, vectors = folder / f"{index}.jsonl", folder / f"{index}.npy"
    corpus.write_text("\n".join(map(json.dumps, rows)))
    np.save(vectors, collection.vectors)
    text = {"type": "text", "analyzer": "english"}
    files = {"corpus": str(corpus), "vectors": str(vectors)}
    indices = {index: {**files, "fields": {"title": text, "text": text}}}
    return {"kind": "embedded", "cache": str(folder / "cache"), "indices": indices}


def configuration(
    backend: Mapping[str, Any], index: str, pipelines: Mapping[str, Any] = PIPELINES
) -> dict[str, Any]:
    """Two legs of 100 over title and text and over the embedding; the pipelines as shadows."""
    leg = {"backend": "main", "index": index, "window": MAX_DEPTH, "timeout_ms": PATIENCE_MS}
    live = next(iter(pipelines))
    return {
        "backends": {"main": dict(backend)},
        "legs": {
            "bm25": {"kind": "lexical", "fields": ["title", "text"], **leg},
            "dense": {"kind": "knn", "field": "embedding", "num_candidates": 200, **leg},
        },
        "pipelines": dict(pipelines),
        "routes": {ROUTE: {"live": {live: 1.0}, "shadows": dict.fromkeys(pipelines, 1.0)}},
    }


async def runs(config: Mapping[str, Any], folder: Path, claims: Sequence[Claim]) -> Runs:
    """What every pipeline of the configuration makes of the claims. `folder` is for its file."""
    path = folder / "quality.yaml"
    path.write_text(json.dumps({"state_dir": str(folder / "state"), **config}))
    plan = build(load(path, {}))
    route, pipelines = plan.routes[ROUTE], tuple(plan.pipelines.values())
    lease = await Parts().lease(plan)
    limit = asyncio.Semaphore(AT_ONCE)

    async def asked(claim: Claim) -> list[RankedList]:
        query = Query(claim.id, b"", ROUTE, claim.text, size=MAX_DEPTH, vector=claim.vector)
        async with limit:
            seen = await run_all(
                pipelines, query, Retrieval(query), lease.shadow, primary=route.primary
            )
        answers = [each.answer for each in seen]
        for each, answer in zip(seen, answers, strict=True):
            if answer is None or answer.degraded:
                raise RuntimeError(f"{each.pipeline}, claim {claim.id}: {each.error or answer}")
        return [answer.ranked for answer in answers if answer is not None]

    try:
        lists = await asyncio.gather(*map(asked, claims))
    finally:
        await lease.release()
    columns = zip(*lists, strict=True)
    return {pipeline.name: column for pipeline, column in zip(pipelines, columns, strict=True)}


def ndcg(lists: Sequence[RankedList], claims: Sequence[Claim]) -> float:
    """The mean nDCG@10 of a run, every judged document as relevant as another."""
    values = (
        score(NDCG, ranked.ids, dict.fromkeys(claim.relevant, 1))
        for ranked, claim in zip(lists, claims, strict=True)
    )
    return fmean(value for value in values if value is not None)


def worth(found: Runs, claims: Sequence[Claim]) -> dict[str, float]:
    """By pipeline, its mean nDCG@10."""
    return {name: ndcg(lists, claims) for name, lists in found.items()}


def table(rows: Mapping[str, Mapping[str, float]]) -> str:
    """A line an engine and a column a pipeline."""
    names = tuple(next(iter(rows.values())))
    wide = max(len("engine"), *map(len, rows))
    lines = [f"{'engine':<{wide}}" + "".join(f"{name:>9}" for name in names)]
    lines += [
        f"{engine:<{wide}}" + "".join(f"{values[name]:9.4f}" for name in names)
        for engine, values in rows.items()
    ]
    return "\n".join(lines)


def main(names: Sequence[str]) -> None:
    """Measure the embedded engine and every one named, one alive at a time."""
    rows = dict[str, Mapping[str, float]]()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        collection = shipped(folder)
        config = configuration(over_files(collection, "scifact", folder), "scifact")
        rows[EMBEDDED] = _measured(config, folder, collection)
        for name in names or tuple(RECIPES):
            recipe = RECIPES[name]
            built(recipe, _tell)
            node = Node(recipe, say=_tell)
            try:
                engine = at(node.url, recipe.kind)
                index = collection.load(engine, "quality")
                config = configuration(over_cluster(engine), index)
                rows[f"{name} ({recipe.version})"] = _measured(config, folder, collection)
            finally:
                node.stop()
    print(f"SciFact, {len(collection.queries)} claims, nDCG@10")
    print(table(rows))


def _measured(
    config: Mapping[str, Any], folder: Path, collection: Collection
) -> Mapping[str, float]:
    return worth(asyncio.run(runs(config, folder, collection.queries)), collection.queries)


def _tell(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
