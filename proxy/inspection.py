"""The `check --backends` command: can the backends serve what the configuration reads of them?"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from config.loader import load
from proxy.backends import Read
from proxy.build import build
from proxy.check import check
from proxy.legs import Leg, embedder_of
from proxy.legs.knn import Knn
from proxy.legs.pushdown import Pushdown
from proxy.model import Filter, Terms
from proxy.plan import Pipeline, Plan, RoutePlan


def check_backends(path: Path, environ: Mapping[str, str]) -> int:
    """Check the configuration, then ask every backend that it uses.

    Prints what `check` does and a line for each backend on stdout and returns 0, or every problem
    on stderr and returns 2.
    """
    if code := check(path, environ):
        return code
    plan = build(load(path, environ))
    found = asyncio.run(_ask(plan))
    print()
    for name, sentences in found.items():
        for sentence in sentences:
            print(f"backends.{name}: {sentence}", file=sys.stderr)
        if not sentences:
            print(f"backends.{name}: serves all that is read of it")
    return 2 if any(found.values()) else 0


async def _ask(plan: Plan) -> dict[str, Sequence[str]]:
    """By backend, what is wrong with it; all are asked at once."""
    asked = reads(plan)
    answers = await asyncio.gather(
        *(plan.backends[name].inspect(name, asked[name]) for name in asked)
    )
    return dict(zip(asked, answers, strict=True))


def reads(plan: Plan) -> dict[str, tuple[Read, ...]]:
    """By backend, in the order of their names, what the routes read of it, each leg once."""
    found: dict[str, dict[Leg, Read]] = {name: {} for name in sorted(plan.backends)}
    for route in plan.routes.values():
        filters = (*route.filters, *(Terms(field, ()) for field in route.filterable))
        for where, leg in _legs(route, plan):
            known = found[leg.backend].get(leg)
            merged = dict.fromkeys((*(known.filters if known else ()), *filters))
            found[leg.backend][leg] = _read(where, leg, plan, tuple(merged))
    return {name: tuple(legs.values()) for name, legs in found.items()}


def _read(where: str, leg: Leg, plan: Plan, filters: tuple[Filter, ...]) -> Read:
    embedder = embedder_of(leg)
    dimension = None if embedder is None else plan.embedders[embedder].dimension
    return Read(where, leg, dimension, filters)


def _legs(route: RoutePlan, plan: Plan) -> Iterator[tuple[str, Leg]]:
    """Every leg of the route with its place in the file; what the engine fuses also leg by leg."""
    for pipeline, _ in (*route.live, *route.shadows):
        for name, leg in pipeline.legs:
            if isinstance(leg, Pushdown):
                yield from ((f"legs.{inner}", each) for inner, each in leg.legs)
                yield f"pipelines.{pipeline.name}", leg
            else:
                yield f"legs.{name}", leg
        yield from _reranked(pipeline, plan)


def _reranked(pipeline: Pipeline, plan: Plan) -> Iterator[tuple[str, Knn]]:
    """What the pipeline's reranker looks up."""
    for leg in plan.rerankers[pipeline.rerank].reads if pipeline.rerank else ():
        if isinstance(leg, Knn):
            yield f"rerankers.{pipeline.rerank}", leg
