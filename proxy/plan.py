"""What the configuration comes to: pipelines and routes as values, parts as unopened recipes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from config.schema import Settings
from proxy.backends import BackendRecipe
from proxy.embedders import EmbedderRecipe
from proxy.fusion import Fusion
from proxy.legs import Leg
from proxy.model import Filter
from proxy.rerankers import RerankerRecipe


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Legs, then fusion, then rerank. `legs` are (name, leg) in name order; one needs no fusion.

    `version` hashes legs, fusion, rerank and model identity: neither names, hosts, credentials nor
    timeouts.
    """

    name: str
    version: str
    legs: tuple[tuple[str, Leg], ...]
    fusion: Fusion | None = None
    rerank: str | None = None


@dataclass(frozen=True, slots=True)
class RoutePlan:
    """A public search. `live` are (pipeline, share) summing to 1, `shadows` (pipeline, rate).

    `deadline` is in seconds; `primary` names the leg that totals come from; `window` is the largest
    from + size; `embedder` makes the vectors of its knn legs (None where there are several, or
    none); `dimension` is a request vector's length where it is known; `index` is what clients of an
    Elasticsearch call it (None: there is no such API for it).
    """

    name: str
    live: tuple[tuple[Pipeline, float], ...]
    shadows: tuple[tuple[Pipeline, float], ...]
    primary: tuple[str, Leg]
    deadline: float
    window: int
    filters: tuple[Filter, ...] = ()
    filterable: tuple[str, ...] = ()
    embedder: str | None = None
    dimension: int | None = None
    index: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A whole valid configuration, ready to be opened: the parts are those that routes use."""

    settings: Settings
    backends: Mapping[str, BackendRecipe]
    embedders: Mapping[str, EmbedderRecipe]
    rerankers: Mapping[str, RerankerRecipe]
    pipelines: Mapping[str, Pipeline]
    routes: Mapping[str, RoutePlan]
