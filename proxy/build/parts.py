"""Every part of a configuration as a recipe or a value, nothing opened yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable

from config.errors import ConfigError
from config.loader import Loaded
from config.named import Named
from config.problems import problem
from config.references import known
from config.schema import Part, Settings
from proxy.backends import BackendRecipe
from proxy.build.making import make
from proxy.embedders import EmbedderRecipe
from proxy.fusion import Fusion
from proxy.legs import Leg
from proxy.legs.knn import Knn
from proxy.rerankers import RerankerRecipe

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Registries:
    """What `kind` may name, for every sort of part."""

    backends: Mapping[str, type[BackendRecipe]]
    embedders: Mapping[str, type[EmbedderRecipe]]
    rerankers: Mapping[str, type[RerankerRecipe]]
    legs: Mapping[str, type[Leg]]
    fusions: Mapping[str, type[Fusion]]


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The parts that could be made, by name, and what is wrong with them and the others."""

    backends: Mapping[str, BackendRecipe]
    embedders: Mapping[str, EmbedderRecipe]
    rerankers: Mapping[str, RerankerRecipe]
    legs: Mapping[str, Leg]
    problems: tuple[str, ...]


@runtime_checkable
class Placed(Protocol):
    """A recipe with paths: relative ones start at the configuration's folder."""

    def at(self, folder: Path, state_dir: Path) -> BackendRecipe:
        """The same recipe with its paths resolved and told where it may keep what it builds."""
        ...


def gather(loaded: Loaded, settings: Settings, registries: Registries) -> Parts:
    """Make every part, used by a route or not."""
    made, backend_problems = make_all("backends", settings.backends, registries.backends)
    folder, state_dir = Path(loaded.source).parent, Path(settings.state_dir)
    backends = {name: _place(recipe, folder, state_dir) for name, recipe in made.items()}
    embedders, embedder_problems = make_all("embedders", settings.embedders, registries.embedders)
    rerankers, reranker_problems = make_all("rerankers", settings.rerankers, registries.rerankers)
    legs, leg_problems = make_all("legs", settings.legs, registries.legs)
    problems = [*backend_problems, *embedder_problems, *reranker_problems, *leg_problems]
    for name, embedder in embedders.items():
        problems += (problem(f"embedders.{name}", wrong) for wrong in embedder.problems())
    for name, leg in legs.items():
        problems += _leg_problems(f"legs.{name}", leg, backends, embedders, loaded)
    for name, reranker in rerankers.items():
        problems += (problem(f"rerankers.{name}", wrong) for wrong in reranker.problems())
        for leg in reranker.reads:
            problems += _leg_problems(f"rerankers.{name}", leg, backends, embedders, loaded)
    return Parts(backends, embedders, rerankers, legs, tuple(problems))


def embedder_of(leg: Leg) -> str | None:
    """The name of the embedder that the leg needs."""
    return leg.embedder if isinstance(leg, Knn) else None


def make_all(
    section: str, entries: Named[Part], registry: Mapping[str, type[T]]
) -> tuple[dict[str, T], list[str]]:
    """The entries of a section that can be made, and the problems of the others."""
    made: dict[str, T] = {}
    problems: list[str] = []
    for name, part in entries:
        try:
            made[name] = make(f"{section}.{name}", part, registry)
        except ConfigError as exc:
            problems += exc.problems
    return made, problems


def _place(recipe: BackendRecipe, folder: Path, state_dir: Path) -> BackendRecipe:
    return recipe.at(folder, state_dir) if isinstance(recipe, Placed) else recipe


def _leg_problems(
    where: str,
    leg: Leg,
    backends: Mapping[str, BackendRecipe],
    embedders: Mapping[str, EmbedderRecipe],
    loaded: Loaded,
) -> Iterator[str]:
    """What is wrong with a leg beyond its own fields."""
    yield from known(f"{where}.backend", leg.backend, loaded.names["backends"])
    embedder = embedder_of(leg)
    if embedder is not None:
        yield from known(f"{where}.embedder", embedder, loaded.names["embedders"])
    if leg.backend not in backends:
        return
    wrong = backends[leg.backend].problems(leg)
    yield from (f"{where}.{line}" for line in wrong)
    if not wrong and embedder is not None and embedder in embedders:
        made, stored = embedders[embedder].dimension, backends[leg.backend].dimension(leg.index)
        if made and stored and made != stored:
            what = f"makes vectors of {made} numbers; index {leg.index!r} holds vectors of {stored}"
            yield problem(f"{where}.embedder", what, embedder)
