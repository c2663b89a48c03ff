"""Which parts a configuration uses: the others are judged, but neither opened nor paid for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from config import schema
from config.references import Unset
from config.schema import Settings
from proxy.build.parts import Parts
from proxy.legs import Leg, embedder_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Used:
    """The (section, name) of every part that a pipeline of a route needs."""

    places: frozenset[tuple[str, str]]

    @classmethod
    def by(cls, settings: Settings, parts: Parts) -> Used:
        """What the routes of these settings use."""
        named = {name for _, route in settings.routes for name, _ in (*route.live, *route.shadows)}
        pipelines = [made for name, made in settings.pipelines if name in named]
        return cls(frozenset(place for made in pipelines for place in _places(made, parts)))

    def of(self, section: str, made: Mapping[str, T]) -> dict[str, T]:
        """Those of a section's parts that are used."""
        return {name: part for name, part in made.items() if (section, name) in self.places}

    def problems(self, problems: Unset) -> Iterator[str]:
        """The problems, by part, that those who use the part have."""
        for place, lines in problems.items():
            if place in self.places:
                yield from lines


def _places(pipeline: schema.Pipeline, parts: Parts) -> Iterator[tuple[str, str]]:
    legs = [parts.meant[leg].value for leg in pipeline.legs if leg in parts.meant]
    for leg in legs:
        yield from _needs(leg)
    if pipeline.rerank is not None:
        yield "rerankers", pipeline.rerank
        reranker = parts.rerankers.get(pipeline.rerank)
        for read in reranker.reads if reranker else ():
            yield from _needs(read)


def _needs(leg: Leg) -> Iterator[tuple[str, str]]:
    yield "backends", leg.backend
    if (embedder := embedder_of(leg)) is not None:
        yield "embedders", embedder
