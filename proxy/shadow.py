"""The sampled shadows of one impression, as one background job and one record."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from time import time_ns
from typing import Final

from proxy.background import Reason
from proxy.events.records import ShadowResult, Shadows
from proxy.generation import Generation, OpenRoute
from proxy.metrics import Metrics
from proxy.model import Query
from proxy.pipeline import run_all
from proxy.plan import Pipeline
from proxy.recording import observed, unseen
from proxy.request import calls
from proxy.retrieval import Retrieval
from proxy.writer import Writer

JOB_SECONDS: Final = 10.0
"""No job holds a worker for longer, whatever its legs' budgets come to."""


@dataclass(frozen=True, slots=True, eq=False)
class ShadowJob:
    """Run the shadows on what the live answer retrieved; record and count each of them once.

    Holds its generation from when it is made until it is done or dropped.
    """

    generation: Generation
    route: OpenRoute
    query: Query
    retrieval: Retrieval
    pipelines: Sequence[Pipeline]
    shard: int
    writer: Writer
    metrics: Metrics

    def __post_init__(self) -> None:
        self.generation.hold()
        self._count("sampled")

    async def run(self) -> None:
        """Observe every shadow and offer the record."""
        try:
            with self.metrics.in_flight("shadow").track_inprogress():
                results = await self._observe()
        finally:  # what was cut off may have cost something, too
            self._charge()
        for result in results:
            self.metrics.shadow(self.query.route, result.pipeline, result.status).inc()
        self._record(results)

    def drop(self, reason: Reason) -> None:
        """Record that none of them ran, and why."""
        self._count(f"dropped_{reason}")
        self._record(unseen(self.pipelines, "dropped", reason))

    async def _observe(self) -> Sequence[ShadowResult]:
        clients, primary = self.generation.lease.shadow, self.route.plan.primary
        try:
            async with asyncio.timeout(JOB_SECONDS):
                observations = await run_all(
                    self.pipelines, self.query, self.retrieval, clients,
                    primary=primary, deadline=self.route.plan.deadline,
                )  # fmt: skip
        except TimeoutError:
            return unseen(self.pipelines, "timeout", "job")
        return [observed(observation, self.query.depth) for observation in observations]

    def _record(self, results: Sequence[ShadowResult]) -> None:
        record = Shadows(self.query.nonce, time_ns() // 1_000_000, tuple(results))
        self.writer.offer(self.query.route, self.shard, record)
        self.generation.let_go()

    def _charge(self) -> None:
        """Count the calls of models that each shadow needed, those that live made, too."""
        for shadow in self.pipelines if self.retrieval.calls else ():
            made = calls(shadow, self.retrieval, self.generation.lease.shadow)
            if made:
                self.metrics.called(self.query.route, shadow.name, made, self.generation.plan)

    def _count(self, outcome: str) -> None:
        for shadow in self.pipelines:
            self.metrics.shadow(self.query.route, shadow.name, outcome).inc()
