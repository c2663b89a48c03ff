"""One node of a cluster: the vendor's client to it, and whether it is worth asking."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from time import monotonic
from typing import Final, Protocol
from urllib.parse import urlencode

from proxy.backends.cluster.breaker import Breaker
from proxy.backends.cluster.trouble import DOWN, PASSING, Kind, Trouble

log = logging.getLogger(__name__)

PROBE_WITHIN: Final = 2.0
SILENCE: Final = 0.25
"""Whoever leaves earlier than this many seconds has not waited for long: the user left."""


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """What a node is asked; `path` is quoted, `body` is JSON."""

    method: str
    path: str
    body: bytes | None = None
    params: Mapping[str, str] = field(default_factory=dict)

    @property
    def target(self) -> str:
        """The path with its parameters. There are few that differ, so they are kept."""
        return _target(self.path, tuple(self.params.items())) if self.params else self.path


@lru_cache(1024)
def _target(path: str, params: tuple[tuple[str, str], ...]) -> str:
    return f"{path}?{urlencode(params)}"


PING: Final = Call("GET", "/")


class Client(Protocol):
    """A vendor's client to one node. It retries nothing."""

    async def ask(self, call: Call) -> bytes:
        """The body of a good answer. Raises Trouble."""
        ...

    async def close(self) -> None:
        """Let go of its connections."""
        ...


class Node:
    """A node that is asked while it answers, and probed while it doesn't."""

    def __init__(self, host: str, client: Client) -> None:
        """`host` is what the log calls it."""
        self.host = host
        self._client = client
        self._breaker = Breaker()
        self._probing: asyncio.Task[None] | None = None

    @property
    def down(self) -> bool:
        """Whether nothing is sent to it but probes, of which there is one at a time."""
        return self._breaker.open

    async def ask(self, call: Call) -> bytes:
        """The body of a good answer. Raises Trouble."""
        start = monotonic()
        try:
            answer = await self._client.ask(call)
        except Trouble as trouble:
            self._judge(trouble)
            raise
        except asyncio.CancelledError:
            if monotonic() - start >= SILENCE:
                self._breaker.silent()
                self._watch()
            raise
        self._breaker.succeeded()
        return answer

    async def close(self) -> None:
        """Stop probing, and let go of its connections."""
        if self._probing is not None:
            self._probing.cancel()
            await asyncio.gather(self._probing, return_exceptions=True)
        await self._client.close()

    def _judge(self, trouble: Trouble) -> None:
        if trouble.kind in DOWN or (trouble.status in PASSING and not trouble.code):
            self._breaker.failed()  # with a code it is the engine that speaks, of one index
        elif trouble.kind is Kind.TIMEOUT:
            self._breaker.silent()
        elif trouble.status is not None:
            self._breaker.succeeded()
        self._watch()

    def _watch(self) -> None:
        if self.down and self._probing is None:
            log.warning("node down", extra={"node": self.host})
            self._probing = asyncio.get_running_loop().create_task(self._probe())

    async def _probe(self) -> None:
        """Ask it something cheap until it answers. No user's request is spent on that."""
        while self.down:
            await asyncio.sleep(self._breaker.pause)
            try:
                async with asyncio.timeout(PROBE_WITHIN):
                    await self._client.ask(PING)
            except (Trouble, TimeoutError) as exc:
                if isinstance(exc, Trouble) and _alive(exc):
                    self._breaker.succeeded()
                else:
                    self._breaker.probe_failed()
            else:
                self._breaker.succeeded()
        self._probing = None
        log.warning("node up", extra={"node": self.host})


def _alive(trouble: Trouble) -> bool:
    """Whether it was the engine that answered, if only that we may not ask."""
    return trouble.status is not None and trouble.status not in PASSING
