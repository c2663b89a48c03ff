"""Pipelines put together from their parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol, TypeAlias, runtime_checkable

from config import schema
from config.errors import ConfigError
from config.loader import Loaded
from config.problems import problem
from config.schema import Settings
from proxy.build.making import make
from proxy.build.parts import Parts
from proxy.build.pushing import push_problems, pushed
from proxy.build.versions import leg_identity, pushed_identity, version
from proxy.fusion import Fusion
from proxy.legs import Leg, embedder_of
from proxy.legs.pushdown import Pushdown
from proxy.plan import Pipeline
from proxy.rerankers import RerankerRecipe


@runtime_checkable
class Choosy(Protocol):
    """A fusion that not all legs suit."""

    def leg_problems(self, legs: tuple[str, ...]) -> list[str]:
        """Why it can't fuse these legs: each a line with the place within it."""
        ...


Kinds: TypeAlias = Mapping[str, type[Fusion]]


def assemble(
    loaded: Loaded, settings: Settings, parts: Parts, fusions: Kinds
) -> tuple[dict[str, Pipeline], list[str]]:
    """The pipelines whose parts are all there, and the problems of all."""
    made: dict[str, Pipeline] = {}
    problems: list[str] = []
    kinds = {name: part.kind for name, part in settings.backends}
    for name, wanted in settings.pipelines:
        broken = ("pipelines", name) in loaded.broken
        try:
            fusion = _fusion(f"pipelines.{name}", wanted, fusions, whole=not broken)
        except ConfigError as exc:
            problems += exc.problems
            continue
        wrong = [] if broken else list(push_problems(f"pipelines.{name}", wanted, parts, kinds))
        if not wrong and not broken and _complete(wanted, parts):
            made[name] = _pipeline(name, wanted, fusion, kinds, parts)
            wrong = list(_unserved(f"pipelines.{name}", made[name], parts))
        problems += wrong
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
    if not problems and isinstance(fusion, Choosy):
        problems += (f"{where}.fusion.{line}" for line in fusion.leg_problems(wanted.legs))
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
    name: str,
    wanted: schema.Pipeline,
    fusion: Fusion | None,
    kinds: Mapping[str, str],
    parts: Parts,
) -> Pipeline:
    legs: tuple[tuple[str, Leg], ...] = tuple((leg, parts.legs[leg]) for leg in sorted(wanted.legs))
    if wanted.fused_by == "engine" and fusion is not None:
        legs, fusion = ((name, pushed(wanted, fusion, parts)),), None
    identities = {leg: _identity(value, kinds, parts) for leg, value in legs}
    reranker = None if wanted.rerank is None else parts.rerankers[wanted.rerank]
    judged = None if reranker is None else _judged(reranker, parts)
    return Pipeline(name, version(identities, fusion, judged), legs, fusion, wanted.rerank)


def _unserved(where: str, pipeline: Pipeline, parts: Parts) -> Iterator[str]:
    """Why the backend can't fuse what it is to fuse."""
    for _, leg in pipeline.legs:
        if isinstance(leg, Pushdown):
            yield from (f"{where}: {line}" for line in parts.backends[leg.backend].problems(leg))


def _judged(reranker: RerankerRecipe, parts: Parts) -> tuple[str, int, tuple[str, ...], str | None]:
    embedder = next((name for leg in reranker.reads if (name := embedder_of(leg))), None)
    model = parts.embedders[embedder].identity if embedder else None
    return reranker.identity, reranker.top, reranker.text, model


def _identity(leg: Leg, kinds: Mapping[str, str], parts: Parts) -> bytes:
    if isinstance(leg, Pushdown):
        inner = {name: _identity(each, kinds, parts) for name, each in leg.legs}
        return pushed_identity(leg, inner)
    embedder = embedder_of(leg)
    model = parts.embedders[embedder].identity if embedder else None
    return leg_identity(leg, kinds[leg.backend], model)
