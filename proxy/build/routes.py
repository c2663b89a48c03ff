"""Routes put together from their pipelines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from config import schema
from config.filters import Clause, Present, Term, Within
from config.loader import Loaded
from config.named import Named
from config.problems import problem
from config.schema import Settings
from proxy.build.outsiders import outsiders
from proxy.build.parts import Parts
from proxy.legs import Leg, counts_text, embedder_of, takes_vector
from proxy.model import MAX_DEPTH, Exists, Range, Terms
from proxy.plan import Pipeline, RoutePlan


def plan_routes(
    loaded: Loaded, settings: Settings, parts: Parts, pipelines: Mapping[str, Pipeline]
) -> tuple[dict[str, RoutePlan], list[str]]:
    """The routes whose pipelines are all there, and the problems of all."""
    made: dict[str, RoutePlan] = {}
    problems: list[str] = []
    for name, wanted in settings.routes:
        where = f"routes.{name}"
        wrong = [
            *_primary_problems(where, wanted, settings),
            *_filter_problems(where, wanted, settings, parts),
            *outsiders(where, wanted, settings, parts),
        ]
        problems += wrong
        named = {pipeline for pipeline, _ in (*wanted.live, *wanted.shadows)}
        if not wrong and ("routes", name) not in loaded.broken and named <= pipelines.keys():
            made[name] = _route(name, wanted, parts, pipelines)
    return made, problems


def _route(
    name: str, wanted: schema.Route, parts: Parts, pipelines: Mapping[str, Pipeline]
) -> RoutePlan:
    live = _shared(wanted.live, pipelines)
    shadows = _shared(wanted.shadows, pipelines)
    live_legs = _legs(pipeline for pipeline, _ in live)
    primary = wanted.primary if wanted.primary in live_legs else _primary(live_legs)
    read = _read((pipeline for pipeline, _ in (*live, *shadows)), parts)
    embedders = {embedder for leg in read if (embedder := embedder_of(leg))}
    return RoutePlan(
        name,
        live,
        shadows,
        primary=(primary, live_legs[primary]),
        deadline=wanted.deadline_ms / 1000,
        window=_window((*live, *shadows)),
        filters=tuple(map(meant, wanted.filter)),
        filterable=wanted.filterable,
        embedder=min(embedders) if len(embedders) == 1 else None,
        dimension=_dimension(read, parts),
        index=wanted.index,
    )


def meant(clause: Clause) -> Terms | Range | Exists:
    """A mandatory filter as the noun that every leg is asked with."""
    match clause:
        case Term():
            return Terms(clause.field, clause.values)
        case Within():
            return Range(clause.field, clause.gte, clause.gt, clause.lte, clause.lt)
        case Present():
            return Exists(clause.field)


def _primary_problems(where: str, wanted: schema.Route, settings: Settings) -> Iterator[str]:
    """What is wrong with the leg that totals come from, where all live pipelines' are known."""
    known = dict(settings.pipelines)
    live = [known[name] for name, _ in wanted.live if name in known]
    legs = {leg for name, _ in wanted.live if name in known for leg in _own(name, known[name])}
    whole = len(live) == len(wanted.live)
    if whole and wanted.primary is not None and wanted.primary not in legs:
        yield problem(f"{where}.primary", "is no leg of a live pipeline", wanted.primary, legs)


def _own(name: str, pipeline: schema.Pipeline) -> tuple[str, ...]:
    """What the pipeline's legs are called: one that the engine fuses is one leg of its own name."""
    return pipeline.legs if pipeline.fused_by == "proxy" else (name,)


def _filter_problems(
    where: str, wanted: schema.Route, settings: Settings, parts: Parts
) -> Iterator[str]:
    """Fields that an index of the route hasn't got, and values of another type than the field's.

    A backend that was mended is asked for its fields alone: their types may be guesses.
    """
    asked: list[tuple[str, Terms | Range | Exists]] = [
        (f"{where}.filter.{at}", meant(clause)) for at, clause in enumerate(wanted.filter)
    ]
    asked += [
        (f"{where}.filterable.{at}", Terms(field, ())) for at, field in enumerate(wanted.filterable)
    ]
    for backend, index in _indices(wanted, settings, parts):
        recipe = parts.judged[backend].value
        for place, given in asked:
            judged = given if backend in parts.backends else Terms(given.field, ())
            for line in recipe.filter_problems(index, judged):
                yield f"{place}: index {index!r}: {line}"


def _indices(wanted: schema.Route, settings: Settings, parts: Parts) -> list[tuple[str, str]]:
    """The (backend, index) that the route's legs search, where their fields are known."""
    named = {pipeline for pipeline, _ in (*wanted.live, *wanted.shadows)}
    names = {leg for name, made in settings.pipelines if name in named for leg in made.legs}
    legs = [meant.value for name, meant in parts.meant.items() if name in names]
    read = {(leg.backend, leg.index) for leg in legs if leg.backend in parts.judged}
    return sorted(pair for pair in read if pair[1] not in parts.judged[pair[0]].lost)


def _shared(
    named: Named[float], pipelines: Mapping[str, Pipeline]
) -> tuple[tuple[Pipeline, float], ...]:
    return tuple((pipelines[name], share) for name, share in named)


def _legs(pipelines: Iterable[Pipeline]) -> dict[str, Leg]:
    """The legs of several pipelines, in name order."""
    legs = {name: leg for pipeline in pipelines for name, leg in pipeline.legs}
    return dict(sorted(legs.items()))


def _primary(legs: Mapping[str, Leg]) -> str:
    """The leg whose total is shown: the first lexical one, since only text decides what matches."""
    lexical = (name for name, leg in legs.items() if counts_text(leg))
    return next(lexical, next(iter(legs)))


def _read(pipelines: Iterable[Pipeline], parts: Parts) -> list[Leg]:
    """What the pipelines read: their legs, and what their rerankers look up."""
    read: list[Leg] = []
    for pipeline in pipelines:
        read += (leg for _, leg in pipeline.legs)
        read += parts.rerankers[pipeline.rerank].reads if pipeline.rerank else ()
    return read


def _window(pipelines: Iterable[tuple[Pipeline, float]]) -> int:
    """How deep a page may reach: as deep as every pipeline looks."""
    windows = (leg.window for pipeline, _ in pipelines for _, leg in pipeline.legs)
    return min(MAX_DEPTH, *windows)


def _dimension(read: Iterable[Leg], parts: Parts) -> int | None:
    """The length of a request's vector, if all that reads it agrees."""
    lengths = {
        parts.backends[leg.backend].dimension(leg.index) for leg in read if takes_vector(leg)
    }
    return lengths.pop() if len(lengths) == 1 else None
