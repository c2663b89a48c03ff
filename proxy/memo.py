"""Work done once per key, shared by everyone who asks while it is under way or after."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class Memo(Generic[K, T]):
    """Results by key. The first who asks does the work in its own task, so nothing outlives it.

    When that one is cancelled, the work is undone and the next who waits does it anew; what it
    raises is kept and raised to everyone.
    """

    def __init__(self) -> None:
        self._flights: dict[K, asyncio.Future[T]] = {}

    def has(self, key: K) -> bool:
        """Is its work done?"""
        flight = self._flights.get(key)
        return flight is not None and flight.done()

    def get(self, key: K) -> T:
        """The result of work that is done; raises what it raised. KeyError if nobody asked."""
        return self._flights[key].result()

    def error(self, key: K) -> BaseException | None:
        """What the key's work, which is done, raised."""
        return self._flights[key].exception()

    async def once(self, key: K, work: Callable[[], Awaitable[T]]) -> T:
        """The result of `work`, which is only called if nobody has done it or is doing it."""
        while (flight := self._flights.get(key)) is not None:
            if not flight.done():
                await asyncio.wait((flight,))
            if not flight.cancelled():
                return flight.result()
        flight = self._flights[key] = asyncio.get_running_loop().create_future()
        try:
            result = await work()
        except asyncio.CancelledError:
            del self._flights[key]
            flight.cancel()
            raise
        except Exception as exc:
            flight.set_exception(exc)
            flight.exception()  # read here, since perhaps nobody else will
            raise
        flight.set_result(result)
        return result
