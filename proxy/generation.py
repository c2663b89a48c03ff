"""One configuration in force: its plan, its open parts, its routes. Another replaces it whole."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from proxy.backends import BackendRecipe
from proxy.clients import Lease
from proxy.errors import BadRequest, UnknownRoute
from proxy.model import Facet, Filter, Query, Role
from proxy.plan import Pipeline, Plan, RoutePlan
from proxy.router import choose, sticky_key
from proxy.wire.search import Accepts


@dataclass(frozen=True, slots=True)
class OpenRoute:
    """A route, with what its requests are read against."""

    plan: RoutePlan
    accepts: Accepts
    shares: tuple[tuple[str, float], ...]
    indices: tuple[tuple[BackendRecipe, str], ...]
    """What its legs read: every filter must suit them all."""
    counted: tuple[BackendRecipe, str]
    """What its primary leg reads."""

    @classmethod
    def of(cls, plan: RoutePlan, backends: Mapping[str, BackendRecipe]) -> OpenRoute:
        """The route with what follows from it."""
        shares = tuple((pipeline.name, share) for pipeline, share in plan.live)
        pipelines = (pipeline for pipeline, _ in (*plan.live, *plan.shadows))
        read = {(leg.backend, leg.index) for each in pipelines for _, leg in each.legs}
        indices = tuple((backends[backend], index) for backend, index in sorted(read))
        leg = plan.primary[1]
        counted = backends[leg.backend], leg.index
        return cls(plan, Accepts.of(plan), shares, indices, counted)

    def suits(self, filters: Sequence[Filter], facets: Sequence[Facet] = ()) -> None:
        """Raises `BadRequest` for a filter that an index can't answer (a number's by a text), or a
        facet that the one which is counted can't.
        """
        for at, given in enumerate(filters):
            for recipe, index in self.indices:
                for problem in recipe.filter_problems(index, given):
                    raise BadRequest(problem, field=f"filters[{at}]")
        recipe, index = self.counted
        for facet in facets:
            for problem in recipe.facet_problems(index, facet):
                raise BadRequest(problem, field=f"facets.{facet.name}")

    def live(self, query: Query) -> Pipeline:
        """The pipeline that answers this query."""
        key = sticky_key(query.user, query.session, query.nonce)
        return self.plan.live[choose(self.plan.name, self.shares, key)][0]

    def pipelines(self) -> tuple[Pipeline, ...]:
        """All that the route uses, live ones first, each once."""
        used = (pipeline for pipeline, _ in (*self.plan.live, *self.plan.shadows))
        return tuple({pipeline.name: pipeline for pipeline in used}.values())


class Generation:
    """A configuration in force, and how much work still leans on it."""

    def __init__(self, plan: Plan, lease: Lease) -> None:
        self.plan = plan
        self.lease = lease
        self.routes: Mapping[str, OpenRoute] = {
            name: OpenRoute.of(route, plan.backends) for name, route in plan.routes.items()
        }
        self._holders = 0
        self._free = asyncio.Event()
        self._free.set()

    def route(self, name: str) -> OpenRoute:
        """The route of that name. Raises `UnknownRoute`."""
        found = self.routes.get(name)
        if found is None:
            raise UnknownRoute(
                "there is no such route", field="route", value=name, choices=sorted(self.routes)
            )
        return found

    def used(self) -> Iterator[tuple[str, str, Role, str]]:
        """(route, pipeline, role, version) of every pipeline in use."""
        for name, route in self.plan.routes.items():
            for pipeline, _ in route.live:
                yield name, pipeline.name, "live", pipeline.version
            for pipeline, _ in route.shadows:
                yield name, pipeline.name, "shadow", pipeline.version

    def hold(self) -> None:
        """Keep the parts open until `let_go`, even when the configuration is replaced."""
        self._holders += 1
        self._free.clear()

    def let_go(self) -> None:
        """The end of a `hold`."""
        self._holders -= 1
        if not self._holders:
            self._free.set()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold it for a block."""
        self.hold()
        try:
            yield
        finally:
            self.let_go()

    async def retire(self) -> None:
        """Wait for the last holder, then release the parts. Call it once replaced."""
        await self._free.wait()
        await self.lease.release()
