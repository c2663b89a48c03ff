"""The open cluster: legs become requests, answers what a backend returns."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Final

from proxy.backends import Document, Found, Question, Vector, Wanted
from proxy.backends.cluster.caller import Caller
from proxy.backends.cluster.indices import Indices
from proxy.backends.cluster.node import Call
from proxy.backends.cluster.reading import read_fetch, read_search, read_vectors
from proxy.backends.cluster.requests import (
    Request,
    count_body,
    fetch_body,
    search_body,
    vectors_body,
)
from proxy.errors import BackendRefused, BackendTimeout
from proxy.legs import Leg

ON_TIME: Final = 0.9
"""The engine gets this share of a budget, so that what it has by then arrives within the whole."""


class Cluster:
    """Implements `Backend`. One a role, with connections, retries and breakers of its own."""

    def __init__(self, caller: Caller, indices: Indices, fetch_timeout_ms: int) -> None:
        self._caller = caller
        self._indices = indices
        self._fetch_timeout_ms = fetch_timeout_ms

    async def search(self, leg: Leg, question: Question) -> Found:
        """The leg's best: ids and scores. Raises BackendError."""
        async with _within(leg.timeout_ms):
            target = await self._indices.target(leg.index)
            with _asked_of_it():
                request = search_body(
                    target.engine, target.reach, leg, question, _sent(leg.timeout_ms)
                )
            return read_search(await self._ask(request), target.reach)

    async def count(self, leg: Leg, question: Question) -> Found:
        """What `search` would count, without any document. Raises BackendError."""
        async with _within(leg.timeout_ms):
            target = await self._indices.target(leg.index)
            with _asked_of_it():
                request = count_body(
                    target.engine, target.reach, leg, question, _sent(leg.timeout_ms)
                )
            return read_search(await self._ask(request), target.reach)

    async def fetch(self, index: str, ids: Sequence[str], wanted: Wanted) -> Mapping[str, Document]:
        """The documents by id; an id that is gone is left out. Raises BackendError."""
        if not ids:
            return {}
        async with _within(self._fetch_timeout_ms):
            target = await self._indices.target(index)
            with _asked_of_it():
                request = fetch_body(
                    target.engine, target.reach, ids, wanted, _sent(self._fetch_timeout_ms)
                )
            return read_fetch(await self._ask(request), target.reach, len(ids))

    async def vectors(self, index: str, field: str, ids: Sequence[str]) -> Mapping[str, Vector]:
        """The stored vectors by id; an id without one is left out. Raises BackendError."""
        if not ids:
            return {}
        async with _within(self._fetch_timeout_ms):
            target = await self._indices.target(index)
            with _asked_of_it():
                request = vectors_body(target.engine, target.reach, field, ids)
            return read_vectors(await self._ask(request), target.reach, field)

    def index_version(self, index: str) -> str:
        """A hash of the names and UUIDs of the indices that `index` stands for."""
        return self._indices.version(index)

    async def _ask(self, request: Request) -> bytes:
        return await self._caller.ask(Call("POST", request.path, request.body, request.params))


@asynccontextmanager
async def _within(budget_ms: int) -> AsyncIterator[None]:
    """Leave what isn't done when the budget ends; that closes its connection, by which the engine
    knows that nobody waits.
    """
    limit = asyncio.timeout(budget_ms / 1000)
    try:
        async with limit:
            yield
    except TimeoutError:
        raise BackendTimeout(f"no answer in {budget_ms} ms") from None


@contextmanager
def _asked_of_it() -> Iterator[None]:
    """What can't be put to this engine is refused; a text that isn't one isn't repeated."""
    try:
        yield
    except UnicodeError:
        raise BackendRefused("the text is not Unicode") from None
    except ValueError as exc:
        raise BackendRefused(str(exc)) from None


def _sent(budget_ms: int) -> int:
    return max(1, int(budget_ms * ON_TIME))
