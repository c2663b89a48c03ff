"""The pushdown leg: a whole pipeline in one request, fused by the engine itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from proxy.fusion import Fusion
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.legs.neural import Neural
from proxy.legs.sparse import Sparse
from proxy.legs.template import Template

Inner: TypeAlias = Lexical | Knn | Template | Sparse | Neural


@dataclass(frozen=True, slots=True)
class EngineRerank:
    """Elasticsearch's `text_similarity_reranker` over what was fused: `top` is its window."""

    inference_id: str
    field: str
    top: int = 100
    min_score: float | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.top <= 10_000:
            raise ValueError(f"top: {self.top} is not from 1 to 10000")


@dataclass(frozen=True, slots=True)
class Pushdown:
    """What the engine makes of `legs`, (name, leg) in name order, by a fusion of its own.

    All legs ask one index of one backend, and `window` is the depth of each and of the result. It
    is no `kind` of the configuration: a pipeline that says `fused_by: engine` becomes one.
    """

    backend: str
    index: str
    legs: tuple[tuple[str, Inner], ...]
    fusion: Fusion
    rerank: EngineRerank | None
    window: int
    timeout_ms: int

    @property
    def embedder(self) -> str | None:
        """Who makes the vector of its knn legs."""
        return next((leg.embedder for _, leg in self.legs if isinstance(leg, Knn)), None)
