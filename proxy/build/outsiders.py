"""Models outside the house: only routes that name them may send them text."""

from __future__ import annotations

from collections.abc import Iterator

from config import schema
from config.problems import problem
from config.schema import Settings
from proxy.build.parts import Parts
from proxy.legs import embedder_of


def outsiders(where: str, wanted: schema.Route, settings: Settings, parts: Parts) -> Iterator[str]:
    """A problem for every such model that the route's pipelines reach and it doesn't name."""
    known = dict(settings.pipelines)
    for name, _ in (*wanted.live, *wanted.shadows):
        reached = _reached(known[name], parts) if name in known else ()
        for model in sorted(set(reached) - set(wanted.third_party)):
            what = f"pipeline {name!r} sends text to a model outside the house that isn't named"
            yield problem(f"{where}.third_party", what, model)


def _reached(pipeline: schema.Pipeline, parts: Parts) -> Iterator[str]:
    """The names of the models outside the house that a pipeline asks."""
    reranker = parts.rerankers.get(pipeline.rerank) if pipeline.rerank else None
    if pipeline.rerank and reranker is not None and reranker.third_party:
        yield pipeline.rerank
    legs = [parts.legs[leg] for leg in pipeline.legs if leg in parts.legs]
    for leg in (*legs, *(reranker.reads if reranker else ())):
        name = embedder_of(leg)
        if name is not None and name in parts.embedders and parts.embedders[name].third_party:
            yield name
