"""Open parts, by role: live and shadow share no connection, no pool and no thread.

A part whose recipe a reload leaves unchanged stays open; the others are opened before the swap and
closed when the last request of the configuration that used them is done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from proxy.model import Role
from proxy.plan import Plan
from proxy.retrieval import Clients

ROLES: Final[tuple[Role, ...]] = ("live", "shadow")


class Recipe(Protocol):
    """Whatever can be opened for a role."""

    def open(self, name: str, role: Role) -> AbstractAsyncContextManager[Any]:
        """Open it; closes with the context."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part stands: its role, its section of the configuration, its name."""

    role: Role
    section: str
    name: str


@dataclass(slots=True, eq=False)
class _Part:
    """An open part and how many leases hold it."""

    place: Place
    recipe: Recipe
    value: Any
    stack: AsyncExitStack
    leases: int = 0


class Parts:
    """Every open part of this process."""

    def __init__(self) -> None:
        self._open: list[_Part] = []

    async def lease(self, plan: Plan) -> Lease:
        """The plan's parts of both roles, opened where they aren't. Raises what opening raises, and
        then nothing stays open that wasn't.
        """
        asked = list(_recipes(plan))
        outcomes = await asyncio.gather(
            *(self._take(place, recipe) for place, recipe in asked), return_exceptions=True
        )
        taken = [outcome for outcome in outcomes if isinstance(outcome, _Part)]
        for part in taken:
            part.leases += 1
        lease = Lease(self, tuple(taken))
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                await lease.release()
                raise outcome
        return lease

    async def _take(self, place: Place, recipe: Recipe) -> _Part:
        for part in self._open:
            if part.place == place and part.recipe == recipe:
                return part
        stack = AsyncExitStack()
        value = await stack.enter_async_context(recipe.open(place.name, place.role))
        part = _Part(place, recipe, value, stack)
        self._open.append(part)
        return part

    async def let_go(self, parts: tuple[_Part, ...]) -> None:
        """Close those that no other lease holds."""
        for part in parts:
            part.leases -= 1
            if part.leases == 0:
                self._open.remove(part)
                await part.stack.aclose()


@dataclass(slots=True, eq=False)
class Lease:
    """One configuration's hold on its open parts, until it is released."""

    _owner: Parts
    _parts: tuple[_Part, ...]
    live: Clients = field(init=False)
    shadow: Clients = field(init=False)

    def __post_init__(self) -> None:
        self.live, self.shadow = self._clients("live"), self._clients("shadow")

    async def release(self) -> None:
        """Let go; once."""
        parts, self._parts = self._parts, ()
        await self._owner.let_go(parts)

    def _clients(self, role: Role) -> Clients:
        found: dict[str, dict[str, Any]] = {"backends": {}, "embedders": {}, "rerankers": {}}
        for part in self._parts:
            if part.place.role == role:
                found[part.place.section][part.place.name] = part.value
        return Clients(**found)


def _recipes(plan: Plan) -> Iterator[tuple[Place, Recipe]]:
    sections: Mapping[str, Mapping[str, Recipe]] = {
        "backends": plan.backends, "embedders": plan.embedders, "rerankers": plan.rerankers,
    }  # fmt: skip
    for role in ROLES:
        for section, recipes in sections.items():
            for name, recipe in recipes.items():
                yield Place(role, section, name), recipe
