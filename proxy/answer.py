"""What pipelines make of queries: frozen values, as those of `model`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from proxy.model import RankedList


@dataclass(frozen=True, slots=True)
class Degraded:
    """A stage that failed or overran while the rest went on; `reason` is of `DEGRADED_REASONS`."""

    stage: str
    reason: str


DEGRADED_REASONS: Final = (
    "timeout", "error", "refused", "bad_score", "no_vector", "empty_query", "partial",
)  # fmt: skip
"""Every reason a stage can be degraded for; a closed set, because it is a metric's label."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a pipeline made of a query.

    `ranked` reaches `query.depth`. `total` comes from the primary leg and is None where it did not
    answer. `stages` are (stage, seconds): `embed:<embedder>`, `leg:<leg>`, `fusion`, `rerank`, and
    `count` where matches were counted beside the pipeline. `seconds` is what the pipeline would
    have taken as live: the slowest leg with the embedding it waits for, then fusion, then rerank.
    `at_least` says that `total` was counted no further; `facets` is the primary leg's JSON object
    of facets by name, in the shape of aggregations.
    """

    ranked: RankedList
    total: int | None
    degraded: tuple[Degraded, ...] = ()
    stages: tuple[tuple[str, float], ...] = ()
    seconds: float = 0.0
    own_legs: tuple[str, ...] = ()
    """Legs that ran for shadows only (empty for live)."""
    at_least: bool = False
    facets: bytes | None = None


@dataclass(frozen=True, slots=True)
class Observation:
    """What happened when one pipeline met one query: an answer or an error, and the time taken."""

    pipeline: str
    version: str
    seconds: float
    answer: Answer | None = None
    error: Exception | None = None
