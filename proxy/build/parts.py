"""Every part of a configuration as a recipe or a value, nothing opened yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self, TypeAlias, TypeVar, runtime_checkable

from config.errors import ConfigError
from config.loader import Loaded
from config.named import Named
from config.problems import problem
from config.references import known
from config.schema import Part, Settings
from proxy.backends import BackendRecipe
from proxy.build.making import make
from proxy.build.mending import Mended, mend
from proxy.embedders import EmbedderRecipe
from proxy.fusion import Fusion
from proxy.legs import Leg, embedder_of
from proxy.legs.pushdown import Inner
from proxy.rerankers import RerankerRecipe

T = TypeVar("T")
Judged: TypeAlias = Mapping[str, Mended[T]]
"""Parts as they are or, where they can't be made, as they may be meant."""


@dataclass(frozen=True, slots=True, eq=False)
class Registries:
    """What `kind` may name, for every sort of part."""

    backends: Mapping[str, type[BackendRecipe]]
    embedders: Mapping[str, type[EmbedderRecipe]]
    rerankers: Mapping[str, type[RerankerRecipe]]
    legs: Mapping[str, type[Inner]]
    fusions: Mapping[str, type[Fusion]]


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The parts that could be made, by name, and what is wrong with them and the others.

    `judged` and `meant` are backends and legs as they are or as they may be meant. `faults` are
    what keeps a part, by (section, name), from being opened here: no mistake of the file, and
    nothing to those who don't use the part.
    """

    backends: Mapping[str, BackendRecipe]
    embedders: Mapping[str, EmbedderRecipe]
    rerankers: Mapping[str, RerankerRecipe]
    legs: Mapping[str, Inner]
    judged: Judged[BackendRecipe]
    meant: Judged[Inner]
    problems: tuple[str, ...]
    faults: Mapping[tuple[str, str], tuple[str, ...]]


@runtime_checkable
class Placed(Protocol):
    """A recipe with paths: relative ones start at the configuration's folder."""

    def at(self, folder: Path, state_dir: Path) -> Self:
        """The same recipe with its paths resolved and told where it may keep what it builds."""
        ...


@runtime_checkable
class Filed(Protocol):
    """A recipe that reads files."""

    def faults(self) -> Sequence[str]:
        """Which of its files are not there: each a line with the place within the recipe."""
        ...


def gather(loaded: Loaded, settings: Settings, registries: Registries) -> Parts:
    """Make every part, used by a route or not.

    A part that can't be made is mended to be judged along with those that name it.
    """
    folder, state_dir = Path(loaded.source).parent, Path(settings.state_dir)
    backends, meant_backends, problems = make_all(
        "backends", settings.backends, registries.backends
    )

    def placed(recipe: T) -> T:
        return recipe.at(folder, state_dir) if isinstance(recipe, Placed) else recipe

    judged = {
        name: Mended(placed(meant.value), meant.lost) for name, meant in meant_backends.items()
    }
    embedders, meant_embedders, wrong = make_all(
        "embedders", settings.embedders, registries.embedders
    )
    problems += wrong
    rerankers, meant_rerankers, wrong = make_all(
        "rerankers", settings.rerankers, registries.rerankers
    )
    problems += wrong
    legs, meant_legs, wrong = make_all("legs", settings.legs, registries.legs)
    problems += wrong
    faults: dict[tuple[str, str], tuple[str, ...]] = {}
    for name, backend in judged.items():
        lines = _faults(backend.value)
        faults["backends", name] = tuple(f"backends.{name}.{line}" for line in lines)
    for section, models in (("embedders", meant_embedders), ("rerankers", meant_rerankers)):
        for name, model in models.items():
            lines = placed(model.value).problems()
            faults[section, name] = tuple(problem(f"{section}.{name}", line) for line in lines)
    for name, leg in meant_legs.items():
        problems += _leg_problems(f"legs.{name}", leg.value, judged, embedders, loaded)
    for name, reranker in meant_rerankers.items():
        for read in reranker.value.reads:
            problems += _leg_problems(f"rerankers.{name}", read, judged, embedders, loaded)
    return Parts(
        {name: placed(recipe) for name, recipe in backends.items()},
        {name: placed(recipe) for name, recipe in embedders.items()},
        {name: placed(recipe) for name, recipe in rerankers.items()},
        legs,
        judged,
        meant_legs,
        tuple(problems),
        faults,
    )


def make_all(
    section: str, entries: Named[Part], registry: Mapping[str, type[T]]
) -> tuple[dict[str, T], Judged[T], list[str]]:
    """The entries that can be made, those that can be judged, and the problems of the others."""
    made: dict[str, T] = {}
    judged: dict[str, Mended[T]] = {}
    problems: list[str] = []
    for name, part in entries:
        try:
            made[name] = make(f"{section}.{name}", part, registry)
        except ConfigError as exc:
            problems += exc.problems
            if (meant := mend(part, registry)) is not None:
                judged[name] = meant
        else:
            judged[name] = Mended(made[name])
    return made, judged, problems


def _faults(recipe: BackendRecipe) -> Sequence[str]:
    return recipe.faults() if isinstance(recipe, Filed) else ()


def _leg_problems(
    where: str,
    leg: Leg,
    backends: Judged[BackendRecipe],
    embedders: Mapping[str, EmbedderRecipe],
    loaded: Loaded,
) -> Iterator[str]:
    """What is wrong with a leg beyond its own fields."""
    yield from known(f"{where}.backend", leg.backend, loaded.names["backends"])
    embedder = embedder_of(leg)
    if embedder is not None:
        yield from known(f"{where}.embedder", embedder, loaded.names["embedders"])
    if leg.backend not in backends or leg.index in backends[leg.backend].lost:
        return
    backend = backends[leg.backend].value
    wrong = backend.problems(leg)
    yield from (f"{where}.{line}" for line in wrong)
    if not wrong and embedder is not None and embedder in embedders:
        made, stored = embedders[embedder].dimension, backend.dimension(leg.index)
        if made and stored and made != stored:
            what = f"makes vectors of {made} numbers; index {leg.index!r} holds vectors of {stored}"
            yield problem(f"{where}.embedder", what, embedder)
