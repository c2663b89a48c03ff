"""Parts of the kinds that need a network, as far as building judges them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from config.errors import ConfigError
from config.loader import Loaded
from proxy.backends import Backend, Read
from proxy.build import SHIPPED, build
from proxy.embedders import Embedder
from proxy.legs import Leg
from proxy.model import Facet, Filter, Role


@dataclass(frozen=True, slots=True)
class Cluster:
    """A backend that serves every leg."""

    password_env: str | None = None

    def problems(self, leg: Leg) -> Sequence[str]:
        return ()

    def filter_problems(self, index: str, given: Filter) -> Sequence[str]:
        return ()

    def facet_problems(self, index: str, facet: Facet) -> Sequence[str]:
        return ()

    def dimension(self, index: str) -> int | None:
        return None

    async def inspect(self, name: str, reads: Sequence[Read]) -> Sequence[str]:
        return ()

    def open(self, name: str, role: Role) -> AbstractAsyncContextManager[Backend]:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Far:
    """An embedder outside the house."""

    model: str = "far"
    identity: str = "far"
    dimension: int = 3
    third_party: bool = True
    price_per_1000: float | None = None

    def problems(self) -> list[str]:
        return []

    def open(self, name: str, role: Role) -> AbstractAsyncContextManager[Embedder]:
        raise NotImplementedError


REGISTRIES = replace(
    SHIPPED,
    backends={**SHIPPED.backends, "elasticsearch": Cluster, "opensearch": Cluster},
    embedders={**SHIPPED.embedders, "far": Far},
)


@pytest.fixture
def clustered(sound: dict[str, Any]) -> dict[str, Any]:
    """Sections whose pipeline `pushed` OpenSearch fuses, live on a route of its own."""
    sound["backends"]["os"] = {"kind": "opensearch"}
    sound["legs"] |= {
        "words": {"kind": "lexical", "backend": "os", "index": "x", "fields": ["title"]},
        "near": {"kind": "knn", "backend": "os", "index": "x", "field": "v", "window": 50},
    }
    sound["pipelines"]["pushed"] = {
        "legs": ["words", "near"], "fusion": {"kind": "os_norm"}, "fused_by": "engine",
    }  # fmt: skip
    sound["routes"]["other"] = {"live": {"pushed": 1.0}}
    return sound


@pytest.fixture
def wrongs(loaded: Callable[[dict[str, Any]], Loaded]) -> Callable[[dict[str, Any]], list[str]]:
    """What is wrong with sections that may name those kinds, line by line."""

    def found(sections: dict[str, Any]) -> list[str]:
        try:
            build(loaded(sections), REGISTRIES)
        except ConfigError as exc:
            return sorted(exc.problems)
        return []

    return found
