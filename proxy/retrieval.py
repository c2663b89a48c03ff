"""What one request has asked of backends and embedders so far, whoever of its pipelines asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Generic, TypeAlias, TypeVar

import numpy as np

from proxy.backends import Backend, Found, Question, Vector
from proxy.calls import Calls
from proxy.embedders import Embedder
from proxy.errors import BackendError, BackendTimeout, NotAsked
from proxy.fusion.table import LegTable
from proxy.legs import Leg, embedder_of, takes_vector
from proxy.memo import Memo
from proxy.model import Query, RankedList, Role
from proxy.rerankers import Reranker

T = TypeVar("T")
Legs: TypeAlias = Iterable[tuple[str, Leg]]
Read: TypeAlias = tuple[tuple[str, ...], frozenset[str]]
"""The fields and the documents whose text was fetched."""
Judged: TypeAlias = tuple[str, frozenset[str]]
"""The reranker and the documents that it judged."""


@dataclass(frozen=True, slots=True, eq=False)
class Clients:
    """One role's open parts, by name."""

    backends: Mapping[str, Backend]
    embedders: Mapping[str, Embedder]
    rerankers: Mapping[str, Reranker]


@dataclass(frozen=True, slots=True, eq=False)
class Timed(Generic[T]):
    """What came or why nothing did, the seconds that took, and the role of who ran it."""

    outcome: T | BackendError
    seconds: float
    role: Role


@dataclass(frozen=True, slots=True)
class Patience:
    """Who asks, and the loop's time at which it stops waiting (None: when the budgets end)."""

    role: Role
    until: float | None = None

    @classmethod
    def of(cls, role: Role, seconds: float | None) -> Patience:
        """Patience for `seconds` from now; None has no end."""
        until = None if seconds is None else asyncio.get_running_loop().time() + seconds
        return cls(role, until)

    def limit(self, budget_ms: int | None = None) -> float | None:
        """The loop's time at which work that starts now must end; None if nothing ends it."""
        if budget_ms is None:
            return self.until
        end = asyncio.get_running_loop().time() + budget_ms / 1000
        return end if self.until is None else min(end, self.until)


class Retrieval:
    """The memo of one request: one embedding per embedder, one run per equal leg, and of each
    reranker one judgment of the same documents.

    Outcomes are values; later askers get the same outcome and the same timing as the first. What a
    leg or a model raises beyond `BackendError` is a bug, raised to whoever reads the outcome.
    """

    def __init__(self, query: Query, primary: Leg | None = None) -> None:
        """`primary` is the leg that counts what the query wants counted; None counts nothing."""
        self.query = query
        self.calls = Calls()
        self.texts: Memo[Read, Timed[Mapping[str, str]]] = Memo()
        self.judged: Memo[Judged, Timed[Mapping[str, float]]] = Memo()
        self._primary = primary
        self._legs: Memo[Leg, Timed[Found]] = Memo()
        self._counts: Memo[Leg, Timed[Found]] = Memo()
        self._embeddings: Memo[str, Timed[Vector]] = Memo()
        self._executed: list[tuple[str, Role]] = []
        self._table = LegTable.of({})
        self._empty = not query.text.strip()
        self._given = None if query.vector is None else np.array(query.vector, np.float32)

    @property
    def executed(self) -> Sequence[tuple[str, Role]]:
        """Every search that a backend was really asked for: (leg, role), in order."""
        return tuple(self._executed)

    async def ask(
        self,
        legs: Legs,
        embedders: Iterable[str],
        clients: Clients,
        patience: Patience,
        counts: Iterable[Leg] = (),
    ) -> None:
        """Have an outcome for every leg and embedder, all at once; raises only cancellation.

        A leg's budget covers its search; an embedding only ends with the patience. Of the legs in
        `counts` the matches are counted, and no document is asked for.
        """
        missing = {leg: name for name, leg in legs if not self._legs.has(leg)}
        unmade = {name for name in embedders if self._embeds(name) and not self._made(name)}
        uncounted = [leg for leg in counts if not self._counts.has(leg)]
        if missing or unmade or uncounted:
            await asyncio.gather(
                *(self._embedded(name, clients, patience) for name in sorted(unmade)),
                *(self._answered(name, leg, clients, patience) for leg, name in missing.items()),
                *(self._counted(leg, clients, patience) for leg in uncounted),
                return_exceptions=True,
            )

    def leg(self, leg: Leg) -> Timed[Found]:
        """The outcome of a leg that was asked; raises its bug."""
        return self._legs.get(leg)

    def count(self, leg: Leg) -> Timed[Found]:
        """The outcome of counting a leg; raises its bug."""
        return self._counts.get(leg)

    def bug(self, leg: Leg) -> BaseException | None:
        """What a leg that was asked raised though it must not."""
        return self._legs.error(leg)

    def embedding(self, embedder: str) -> Timed[Vector] | None:
        """The outcome of an embedding; None where none was made (no text, or a given vector)."""
        return self._embeddings.get(embedder) if self._made(embedder) else None

    def vector(self, embedder: str | None) -> Vector | BackendError:
        """The query's vector: the request's own, else the one that `embedder` made."""
        if self._given is not None:
            return self._given
        if embedder is None:
            return NotAsked("the request brings no vector", reason="no_vector")
        if self._empty:
            return NotAsked("there is no text to embed", reason="empty_query")
        return self._embeddings.get(embedder).outcome

    def table(self, legs: Legs) -> LegTable:
        """The table of all that was found so far, with these legs, which have answered."""
        new = {
            name: found.ranked
            for name, leg in legs
            if name not in self._table.lists and isinstance(found := self.leg(leg).outcome, Found)
        }
        if new:
            self._table = self._table.joined(new)
        return self._table

    def _embeds(self, embedder: str | None) -> bool:
        return embedder is not None and self._given is None and not self._empty

    def _made(self, embedder: str) -> bool:
        return self._embeddings.has(embedder)

    async def _embedded(self, embedder: str, clients: Clients, patience: Patience) -> Timed[Vector]:
        def work() -> Awaitable[Timed[Vector]]:
            asked, text = clients.embedders[embedder], self.query.text
            remembers: Callable[[str], bool] = getattr(asked, "remembers", _never)
            free = remembers(text)
            making = timed(asked.embed(text), patience.limit(), patience.role)
            return making if free else self.calls.embedding(embedder, making)

        return await self._embeddings.once(embedder, work)

    async def _answered(
        self, name: str, leg: Leg, clients: Clients, patience: Patience
    ) -> Timed[Found]:
        async def work() -> Timed[Found]:
            question = await self._question(leg, clients, patience)
            if not isinstance(question, Question):
                return Timed(question, 0.0, patience.role)
            self._executed.append((name, patience.role))
            searching = clients.backends[leg.backend].search(leg, question)
            return await timed(searching, patience.limit(leg.timeout_ms), patience.role)

        return await self._legs.once(leg, work)

    async def _counted(self, leg: Leg, clients: Clients, patience: Patience) -> Timed[Found]:
        async def work() -> Timed[Found]:
            question = await self._question(leg, clients, patience)
            if not isinstance(question, Question):
                return Timed(question, 0.0, patience.role)
            counting = clients.backends[leg.backend].count(leg, question)
            return await timed(counting, patience.limit(leg.timeout_ms), patience.role)

        return await self._counts.once(leg, work)

    async def _question(
        self, leg: Leg, clients: Clients, patience: Patience
    ) -> Question | Found | BackendError:
        """What the leg asks, once its vector is there; without text, words find nothing."""
        vector: Vector | None = None
        if takes_vector(leg):
            embedder = embedder_of(leg)
            if embedder is not None and self._embeds(embedder):
                await self._embedded(embedder, clients, patience)
            made = self.vector(embedder)
            if isinstance(made, BackendError):
                return made
            vector = made
        elif self._empty:
            return Found(RankedList(), 0)
        counting = self.query.counting if leg == self._primary else None
        return Question(self.query.text, self.query.filters, vector, counting)


def _never(text: str) -> bool:
    """What an embedder remembers that has no `remembers(text)`, by which it says what it kept."""
    return False


async def timed(work: Awaitable[T], until: float | None, role: Role) -> Timed[T]:
    """Await `work`, but not beyond `until`. A backend's failure is a value; a bug is raised."""
    start = perf_counter()
    outcome: T | BackendError
    limit = asyncio.timeout_at(until)
    try:
        async with limit:
            outcome = await work
    except TimeoutError:
        if not limit.expired():
            raise
        outcome = BackendTimeout(f"no answer in {perf_counter() - start:.3f} s")
    except BackendError as exc:
        outcome = exc
    return Timed(outcome, perf_counter() - start, role)
