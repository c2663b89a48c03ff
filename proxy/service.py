"""Answer first, observe afterwards: a search between its request and its records."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from time import perf_counter, time_ns

from proxy.answer import Degraded
from proxy.backends import Wanted
from proxy.background import Background
from proxy.errors import BackendError, Overloaded
from proxy.generation import Generation, OpenRoute
from proxy.identity import Identity
from proxy.metrics import Metrics
from proxy.model import Query
from proxy.pipeline import count, run
from proxy.plan import Pipeline
from proxy.recording import impression
from proxy.request import calls
from proxy.retrieval import Retrieval
from proxy.router import sampled, shard_of, sticky_key
from proxy.served import Served
from proxy.shadow import ShadowJob
from proxy.tokens import NONCE_BYTES, Issuer, Token
from proxy.wire.search import Asked
from proxy.writer import Writer


class Service:
    """Searches under the configuration in force, and their records."""

    def __init__(
        self,
        generation: Generation,
        identity: Identity,
        issuer: Issuer,
        writer: Writer,
        background: Background,
        metrics: Metrics,
    ) -> None:
        self.generation = generation
        self.issuer = issuer
        self.writer = writer
        self.background = background
        self.metrics = metrics
        self._identity = identity
        settings = generation.plan.settings
        self._shards = settings.events.shards
        self._searching, self._most = 0, settings.server.max_in_flight
        metrics.pipelines(generation.used())

    def swap(self, generation: Generation) -> Generation:
        """Put another configuration in force; returns the one it replaces."""
        replaced, self.generation = self.generation, generation
        self.metrics.pipelines(generation.used())
        return replaced

    def streams(self) -> list[tuple[str, int]]:
        """The (route, shard) of every stream of the log."""
        return [(name, shard) for name in self.generation.routes for shard in range(self._shards)]

    async def search(self, generation: Generation, route: OpenRoute, asked: Asked) -> Served:
        """Answer from the live pipeline; the caller holds `generation`. Raises `BadRequest` for
        filters and facets of a wrong type, `NoLegAnswered`, and `Overloaded` before anybody is
        asked.
        """
        with self.admitted():
            return await self._search(generation, route, asked)

    @contextmanager
    def admitted(self) -> Iterator[None]:
        """A place among the searches that run at once; raises `Overloaded` if all are taken. It is
        held while engines are asked only: slow clients can't keep others out of it.
        """
        if self._searching >= self._most:
            raise Overloaded(f"{self._most} searches are in progress")
        self._searching += 1
        try:
            yield
        finally:
            self._searching -= 1

    async def _search(self, generation: Generation, route: OpenRoute, asked: Asked) -> Served:
        route.suits(asked.filters, asked.counting.facets)
        query, shard = self.query(route, asked)
        pipeline, retrieval = route.live(query), Retrieval(query, route.plan.primary[1])
        end = asyncio.get_running_loop().time() + route.plan.deadline
        live, answering = generation.lease.live, partial(run, pipeline) if query.size else count
        try:
            answer = await answering(
                query, retrieval, live, primary=route.plan.primary, deadline=route.plan.deadline
            )
        finally:  # what failed or was given up may have cost something, too
            made = calls(pipeline, retrieval, live)
            self.metrics.called(query.route, pipeline.name, made, generation.plan)
        served = Served(route, query, shard, pipeline, retrieval, answer, {})
        return await _with_documents(served, generation, end)

    def follow(self, generation: Generation, served: Served) -> None:
        """Measure and record what was served, and let its shadows start: call it once the answer
        has left, on a `generation` still held. Never waits.
        """
        self._measure(served)
        if not served.logged:
            return
        query, plan = served.query, served.route.plan
        # A pipeline never shadows its own page: its number would be of clicks that it earned.
        others = [each for each in plan.shadows if each[0].name != served.pipeline.name]
        shadows = sampled(plan.name, others, query.nonce) if not query.offset else ()
        self._log(generation, served, shadows)
        if shadows:
            self.background.offer(
                ShadowJob(
                    generation, served.route, query, served.retrieval, shadows, served.shard,
                    self.writer, self.metrics,
                )
            )  # fmt: skip

    def query(self, route: OpenRoute, asked: Asked) -> tuple[Query, int]:
        """The noun for what was asked, and the shard of its records."""
        nonce, now = os.urandom(NONCE_BYTES), time_ns() // 1_000_000
        user = None if asked.user is None else self._identity.user(asked.user)
        session = None if asked.session is None else self._identity.session(asked.session)
        shard = shard_of(sticky_key(user, session, nonce), self._shards)
        name = route.plan.name
        token = self.issuer.write(Token(nonce, name, shard, now))
        query = Query(
            token, nonce, name, asked.text, asked.size, asked.offset,
            (*route.plan.filters, *asked.filters), asked.vector, user, session, asked.type,
            asked.counting, asked.sources, asked.highlight,
        )  # fmt: skip
        return query, shard

    def _measure(self, served: Served) -> None:
        name = served.query.route
        for stage, seconds in served.answer.stages:
            self.metrics.stage(name, stage).observe(seconds)
        for degraded in served.answer.degraded:
            self.metrics.degraded(name, degraded.stage, degraded.reason).inc()

    def _log(self, generation: Generation, served: Served, shadows: tuple[Pipeline, ...]) -> None:
        query, leg = served.query, served.route.plan.primary[1]
        keep = generation.plan.settings.events.store_query_text
        record = impression(
            query,
            served.pipeline,
            served.answer,
            time=time_ns() // 1_000_000,
            query_key=self._identity.query_key(query),
            index_version=generation.lease.live.backends[leg.backend].index_version(leg.index),
            sampled=shadows,
            text=query.text if keep else None,
        )
        self.writer.offer(query.route, served.shard, record)


async def _with_documents(served: Served, generation: Generation, deadline: float) -> Served:
    """The page's documents, by id, until the loop's time `deadline`. Without them the page is ids
    and scores.
    """
    page = served.page.ids
    if not page:
        return served
    started, leg = perf_counter(), served.route.plan.primary[1]
    query, reason = served.query, None
    wanted = Wanted(query.sources, (), query.highlight, leg, query.text)
    try:
        async with asyncio.timeout_at(deadline):
            documents = await generation.lease.live.backends[leg.backend].fetch(
                leg.index, page, wanted
            )
    except TimeoutError:
        documents, reason = {}, "timeout"
    except BackendError as exc:
        documents, reason = {}, exc.reason
    answer = served.answer
    failed = () if reason is None else (Degraded("fetch", reason),)
    answer = replace(
        answer,
        degraded=(*answer.degraded, *failed),
        stages=(*answer.stages, ("fetch", perf_counter() - started)),
    )
    return replace(served, answer=answer, documents=documents)
