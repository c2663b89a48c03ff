"""Routes put together from their pipelines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from config import schema
from config.loader import Loaded
from config.named import Named
from config.problems import problem
from config.schema import Settings
from proxy.build.parts import Parts
from proxy.legs import Leg
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.model import MAX_DEPTH, Filter
from proxy.plan import Pipeline, RoutePlan


def plan_routes(
    loaded: Loaded, settings: Settings, parts: Parts, pipelines: Mapping[str, Pipeline]
) -> tuple[dict[str, RoutePlan], list[str]]:
    """The routes whose pipelines are all there, and the problems of these.

    A route that names a pipeline with problems of its own is not judged.
    """
    made: dict[str, RoutePlan] = {}
    problems: list[str] = []
    for name, wanted in settings.routes:
        named = [pipeline for pipeline, _ in (*wanted.live, *wanted.shadows)]
        if ("routes", name) in loaded.broken or not all(each in pipelines for each in named):
            continue
        legs = _legs(pipelines[pipeline] for pipeline, _ in wanted.live)
        if wanted.primary is not None and wanted.primary not in legs:
            where = f"routes.{name}.primary"
            problems.append(problem(where, "is no leg of a live pipeline", wanted.primary, legs))
        else:
            made[name] = _route(name, wanted, parts, pipelines)
    return made, problems


def _route(
    name: str, wanted: schema.Route, parts: Parts, pipelines: Mapping[str, Pipeline]
) -> RoutePlan:
    live, shadows = _shared(wanted.live, pipelines), _shared(wanted.shadows, pipelines)
    live_legs = _legs(pipeline for pipeline, _ in live)
    legs = _legs(pipeline for pipeline, _ in (*live, *shadows))
    primary = wanted.primary or _primary(live_legs)
    embedders = {leg.embedder for leg in legs.values() if isinstance(leg, Knn) and leg.embedder}
    embedder = min(embedders) if len(embedders) == 1 else None
    return RoutePlan(
        name,
        live,
        shadows,
        primary=(primary, live_legs[primary]),
        deadline=wanted.deadline_ms / 1000,
        window=min(MAX_DEPTH, *(leg.window for leg in legs.values())),
        filters=tuple(Filter(term.field, term.values) for term in wanted.filter),
        filterable=wanted.filterable,
        embedder=embedder,
        dimension=parts.embedders[embedder].dimension if embedder else None,
    )


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
    lexical = (name for name, leg in legs.items() if isinstance(leg, Lexical))
    return next(lexical, next(iter(legs)))
