"""The lock that keeps a second evaluator out: it holds while its holder's connection lives.

The value of the key is the random name of the holder's connection (Redis' own ids begin anew with
Redis, and may then be somebody else's). A holder that was killed has no connection, so its
successor need not wait; one whose host vanished loses the key after `TTL_SECONDS`. Commits are
safe without the lock: it keeps two evaluators from taking turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from secrets import token_hex
from typing import Any, Final

from redis.asyncio import Redis
from redis.exceptions import NoPermissionError, WatchError

from evaluator.asking import ask, begin
from proxy.events import keys

TTL_SECONDS: Final = 60
"""The least; with rounds that are far apart it is `TTL_ROUNDS` of them."""
TTL_ROUNDS: Final = 3


class Lease:
    """The lock on some routes; `client` must be a single connection of the evaluator's own."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._name = f"shadowrank-evaluator-{token_hex(16)}"
        self._held: set[str] = set()

    async def renew(self, routes: Sequence[str], interval: float) -> str | None:
        """Take or keep the lock of each route; returns a route that another holds, or None.

        Locks of other routes are given up. To be called every `interval` seconds.
        """
        await self._client.client_setname(self._name)  # each time: it may have reconnected
        for route in self._held.difference(routes):
            await self._release(route)
        ttl = max(TTL_SECONDS, round(TTL_ROUNDS * interval))
        for route in routes:
            if not await self._take(route, ttl):
                return route
            self._held.add(route)
        return None

    async def release(self) -> None:
        """Give all of them up."""
        for route in tuple(self._held):
            await self._release(route)

    async def _take(self, route: str, ttl: int) -> bool:
        key = keys.evaluator_key(route)
        async with self._client.pipeline(transaction=True) as taking:
            await taking.watch(key)
            holder: bytes | None = await ask(taking, "GET", key)
            if holder not in (None, self._name.encode()) and await self._connected(holder):
                return False
            begin(taking)
            taking.set(key, self._name, ex=ttl)
            try:
                await taking.execute()
            except WatchError:
                return False
        return True

    async def _connected(self, holder: bytes | None) -> bool:
        """Does the holder's connection live? Where we may not ask: yes, until the key expires."""
        try:
            clients: list[dict[str, Any]] = await self._client.client_list()
        except NoPermissionError:
            return True
        return any(client["name"].encode() == holder for client in clients)

    async def _release(self, route: str) -> None:
        key = keys.evaluator_key(route)
        self._held.discard(route)
        async with self._client.pipeline(transaction=True) as releasing:
            await releasing.watch(key)
            if await ask(releasing, "GET", key) == self._name.encode():
                begin(releasing)
                releasing.delete(key)
                await releasing.execute()
