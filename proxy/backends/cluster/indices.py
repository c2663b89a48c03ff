"""What index expressions stand for, looked up beside searches and not by them.

An expression is an index, an alias, a data stream, a pattern, or several with commas. Its version
is a hash of the names and UUIDs of the concrete indices behind it: a reindex, an alias that moves
or a data stream that rolls over changes it.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

import msgspec

from proxy.backends.cluster.caller import Caller
from proxy.backends.cluster.node import PING, Call
from proxy.backends.cluster.product import Unusable, engine_of
from proxy.backends.cluster.requests import Engine, Reach
from proxy.backends.cluster.requests.target import EngineKind
from proxy.errors import BackendError, BackendRefused, BackendTimeout
from proxy.model import digest

log = logging.getLogger(__name__)

WITHIN: Final = 5.0
"""Seconds for a look-up: nobody's budget but that of a first search, which keeps its own."""
UNSEEN: Final = "unseen"
"""The version of what no look-up has seen yet."""
BACKING: Final = ".ds-"
"""How the names of the indices behind a data stream begin, on both engines."""


@dataclass(frozen=True, slots=True)
class Target:
    """Whom a search is for, what it reads, and that one's version."""

    engine: Engine
    reach: Reach
    version: str


class _Settings(msgspec.Struct):
    settings: dict[str, str]


_SETTINGS: Final = msgspec.json.Decoder(dict[str, _Settings])


class Indices:
    """What the expressions that were ever asked for stand for at present."""

    def __init__(
        self,
        caller: Caller,
        kind: EngineKind,
        id_field: str | None,
        refresh: float,
        assumed: Engine | None = None,
    ) -> None:
        self._caller = caller
        self._kind = kind
        self._id_field = id_field
        self._refresh = refresh
        self._assumed = assumed
        self._engine = assumed
        self._known: dict[str, Target] = {}
        self._first: dict[str, asyncio.Task[Target | BackendError]] = {}

    async def target(self, index: str) -> Target:
        """What `index` stands for; the first to ask waits for the look-up, with all others who do.

        Raises BackendError.
        """
        known = self._known.get(index)
        if known is not None:
            return known
        if index not in self._first:
            self._first[index] = asyncio.create_task(self._look_first(index))
        outcome = await asyncio.shield(self._first[index])
        if isinstance(outcome, BackendError):
            raise outcome
        return outcome

    def version(self, index: str) -> str:
        """The version of `index` as it was last seen."""
        known = self._known.get(index)
        return UNSEEN if known is None else known.version

    async def keep(self) -> None:
        """Look everything up again, every few seconds, for as long as this runs."""
        while True:
            await asyncio.sleep(self._refresh)
            self._engine = self._assumed
            for index in tuple(self._known):
                try:
                    self._known[index] = await self.look(index)
                except BackendError as exc:
                    log.warning("index not looked up", extra={"index": index, "why": exc.reason})

    async def close(self) -> None:
        """Stop looking."""
        for task in self._first.values():
            task.cancel()
        await asyncio.gather(*self._first.values(), return_exceptions=True)

    async def engine(self) -> Engine:
        """What the cluster is. Raises BackendError."""
        if self._engine is None:
            root = await self._ask(PING)
            try:
                self._engine = engine_of(self._kind, root)
            except Unusable as exc:
                raise BackendRefused(str(exc)) from None
        return self._engine

    async def look(self, index: str) -> Target:
        """Ask what `index` stands for now. Raises BackendError."""
        engine = await self.engine()
        call = Call(
            "GET",
            f"/{quote(index, safe='*,:')}/_settings/index.uuid",
            params={
                "flat_settings": "true",
                "ignore_unavailable": "false",
                "allow_no_indices": "false",
            },
        )
        try:
            found = _SETTINGS.decode(await self._ask(call))
        except msgspec.MsgspecError:
            raise BackendError("the engine's settings of an index are not as documented") from None
        uuids = {name: each.settings.get("index.uuid", "") for name, each in found.items()}
        return Target(engine, Reach(index, _several(index, uuids), self._id_field), version(uuids))

    async def _ask(self, call: Call) -> bytes:
        try:
            async with asyncio.timeout(WITHIN):
                return await self._caller.ask(call)
        except TimeoutError:
            raise BackendTimeout(f"no answer in {WITHIN:g} s") from None

    async def _look_first(self, index: str) -> Target | BackendError:
        try:
            found = self._known[index] = await self.look(index)
        except BackendError as exc:
            return exc
        finally:
            del self._first[index]
        return found


def version(uuids: dict[str, str]) -> str:
    """A hash of the names and UUIDs of concrete indices.

    >>> version({"a": "1", "b": "2"}) == version({"b": "2", "a": "1"}) != version({"a": "1"})
    True
    """
    parts = (part.encode() for name in sorted(uuids) for part in (name, uuids[name]))
    return digest(*parts).hex()


def _several(index: str, uuids: dict[str, str]) -> bool:
    """Whether documents need their index's name: a data stream and a pattern may grow by tomorrow,
    and their documents keep their names.
    """
    if any(sign in index for sign in "*,") or index == "_all" or len(uuids) > 1:
        return True
    (only,) = uuids or {index: ""}
    return only != index and only.startswith(BACKING)
