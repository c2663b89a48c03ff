"""Pipelines put together from their parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from config import schema
from config.errors import ConfigError
from config.loader import Loaded
from config.problems import problem
from config.schema import Settings
from proxy.build.making import make
from proxy.build.parts import Parts, embedder_of
from proxy.build.versions import leg_identity, version
from proxy.fusion import Fusion
from proxy.legs import Leg
from proxy.plan import Pipeline
from proxy.rerankers import RerankerRecipe

Kinds: TypeAlias = Mapping[str, type[Fusion]]


def assemble(
    loaded: Loaded, settings: Settings, parts: Parts, fusions: Kinds
) -> tuple[dict[str, Pipeline], list[str]]:
    """The pipelines whose parts are all there, and the problems of all."""
    made: dict[str, Pipeline] = {}
    problems: list[str] = []
    for name, wanted in settings.pipelines:
        broken = ("pipelines", name) in loaded.broken
        try:
            fusion = _fusion(f"pipelines.{name}", wanted, fusions, whole=not broken)
        except ConfigError as exc:
            problems += exc.problems
            continue
        if not broken and _complete(wanted, parts):
            made[name] = _pipeline(name, wanted, fusion, settings, parts)
    return made, problems


def _fusion(where: str, wanted: schema.Pipeline, fusions: Kinds, *, whole: bool) -> Fusion | None:
    """The fusion, None for a single leg. Raises ConfigError for one that can't be.

    A pipeline that isn't `whole` has lost keys: what it lacks is not held against it.
    """
    several = len(wanted.legs) > 1
    if wanted.fusion is None:
        if several and whole:
            raise ConfigError(
                where,
                [problem(f"{where}.fusion", "is missing: it has several legs", choices=fusions)],
            )
        return None
    fusion = make(f"{where}.fusion", wanted.fusion, fusions)
    problems = list(_weight_problems(f"{where}.fusion.weights", fusion, wanted.legs))
    if whole and not several:
        problems.append(problem(f"{where}.fusion", "has nothing to fuse: there is one leg"))
    if problems:
        raise ConfigError(where, problems)
    return fusion


def _weight_problems(where: str, fusion: Fusion, legs: tuple[str, ...]) -> Iterator[str]:
    for name, _ in fusion.weights:
        if name not in legs:
            yield problem(where, "is no leg of this pipeline", name, legs)


def _complete(wanted: schema.Pipeline, parts: Parts) -> bool:
    """Whether everything it names could be made; if not, that is a problem already."""
    if not set(wanted.legs) <= parts.legs.keys():
        return False
    if wanted.rerank is not None and wanted.rerank not in parts.rerankers:
        return False
    reads = parts.rerankers[wanted.rerank].reads if wanted.rerank else ()
    return all(_found(leg, parts) for leg in (*(parts.legs[name] for name in wanted.legs), *reads))


def _found(leg: Leg, parts: Parts) -> bool:
    embedder = embedder_of(leg)
    return leg.backend in parts.backends and (embedder is None or embedder in parts.embedders)


def _pipeline(
    name: str, wanted: schema.Pipeline, fusion: Fusion | None, settings: Settings, parts: Parts
) -> Pipeline:
    legs = tuple((leg, parts.legs[leg]) for leg in sorted(wanted.legs))
    kinds = {backend: part.kind for backend, part in settings.backends}
    identities = {leg: _identity(value, kinds, parts) for leg, value in legs}
    reranker = None if wanted.rerank is None else parts.rerankers[wanted.rerank]
    judged = None if reranker is None else _judged(reranker, parts)
    return Pipeline(name, version(identities, fusion, judged), legs, fusion, wanted.rerank)


def _judged(reranker: RerankerRecipe, parts: Parts) -> tuple[str, int, str | None]:
    embedder = next((name for leg in reranker.reads if (name := embedder_of(leg))), None)
    model = parts.embedders[embedder].identity if embedder else None
    return reranker.identity, reranker.top, model


def _identity(leg: Leg, kinds: Mapping[str, str], parts: Parts) -> bytes:
    embedder = embedder_of(leg)
    model = parts.embedders[embedder].identity if embedder else None
    return leg_identity(leg, kinds[leg.backend], model)
