"""From an index's name to its route, from what is recognised to what the service is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from proxy.backends import Document, Wanted
from proxy.compat.failures import Refused
from proxy.compat.recognition import (
    COUNT_MOST,
    Limits,
    Unrecognised,
    recognise,
    recognise_count,
)
from proxy.errors import BackendTimeout
from proxy.generation import Generation, OpenRoute
from proxy.model import Counting, Sources
from proxy.wire.search import Asked


def indexed(generation: Generation) -> Mapping[str, OpenRoute]:
    """The routes that answer this API, by the index that clients ask for."""
    return {
        route.plan.index: route
        for route in generation.routes.values()
        if route.plan.index is not None
    }


def routed(generation: Generation, index: str) -> OpenRoute:
    """The route of an index. Raises `Refused` for any other name: lists, patterns, `_all`."""
    served = indexed(generation)
    if index not in served:
        raise Refused(
            "is no index that is served", field=f"index {index[:60]}", choices=sorted(served)
        )
    return served[index]


def name(generation: Generation, index: str) -> str:
    """The name of an index's route, for a metric; empty where there is none."""
    found = indexed(generation).get(index)
    return "" if found is None else found.plan.name


def asked(body: object, route: OpenRoute) -> tuple[Asked, bool]:
    """What a `_search` body asks, and whether the answer counts. Raises `Refused`."""
    got = recognise(body, _limits(route))
    if isinstance(got, Unrecognised):
        raise Refused.of(got)
    return Asked(
        got.text, got.size, got.offset, got.filters, None, got.user, got.session, got.type,
        got.counting, got.sources, got.highlight,
    ), got.counts  # fmt: skip


def counted(body: object, route: OpenRoute) -> Asked:
    """What a `_count` body asks. Raises `Refused`."""
    got = recognise_count(body, _limits(route))
    if isinstance(got, Unrecognised):
        raise Refused.of(got)
    return Asked(got.text or "", 0, 0, got.filters, None, None, None, counting=Counting(COUNT_MOST))


async def fetched(
    generation: Generation, route: OpenRoute, ids: Sequence[str], sources: Sources
) -> Mapping[str, Document]:
    """The documents by id that pass the route's filter, within its deadline. Raises
    `BackendError`.
    """
    leg = route.plan.primary[1]
    try:
        async with asyncio.timeout(route.plan.deadline):
            return await generation.lease.live.backends[leg.backend].fetch(
                leg.index, ids, Wanted(sources, route.plan.filters)
            )
    except TimeoutError:
        raise BackendTimeout(f"no documents in {route.plan.deadline:g} s") from None


def _limits(route: OpenRoute) -> Limits:
    return Limits(route.accepts.window, route.plan.filterable)
