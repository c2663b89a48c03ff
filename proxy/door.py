"""Who is connected to a port: how many there may be, and how long each may take to ask.

A connection that has not begun a request costs a descriptor and nothing else, which is what makes
holding many of them an attack. So they have a deadline and, when the port is full, no claim to
their place; one that is being served is left alone.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Final, Protocol

from proxy.metrics import Cut, Metrics, Port

HEAD_SECONDS: Final = 10.0
"""How long a client may take for a request's head: from connecting, then from its first byte."""


class Visitor(Protocol):
    """A connection."""

    def cut(self) -> None:
        """Close it now, whatever has not been sent yet."""


class Door:
    """The connections of one port. `clock` is the loop's."""

    def __init__(
        self, port: Port, limit: int, metrics: Metrics, clock: Callable[[], float]
    ) -> None:
        self._port, self._limit, self._metrics, self._clock = port, limit, metrics, clock
        self._inside: set[Visitor] = set()
        self._asking: dict[Visitor, float] = {}
        """Those whose head is not whole, longest first, with when it began."""
        self._idle: dict[Visitor, None] = {}
        """Those between two requests, longest first."""

    def enters(self, visitor: Visitor) -> bool:
        """Let it in, in place of whoever waits longest if need be; False if nobody waits."""
        if len(self._inside) >= self._limit and not self._make_room():
            self.count("full")
            return False
        self._inside.add(visitor)
        self._asking[visitor] = self._clock()
        self._tell()
        return True

    def heard(self, visitor: Visitor) -> None:
        """It has sent something: if it was idle, a head has begun."""
        if visitor in self._idle:
            del self._idle[visitor]
            self._asking[visitor] = self._clock()

    def begins(self, visitor: Visitor) -> None:
        """Its head is whole: it is served from now on."""
        self._asking.pop(visitor, None)
        self._idle.pop(visitor, None)

    def waits(self, visitor: Visitor) -> None:
        """It has its answer, and may ask again."""
        if visitor in self._inside:
            self._idle[visitor] = None

    def leaves(self, visitor: Visitor) -> None:
        """It is gone, or as good as gone."""
        self.begins(visitor)
        self._inside.discard(visitor)
        self._tell()

    def sweep(self) -> None:
        """Cut off who took too long."""
        late = self._clock() - HEAD_SECONDS
        for visitor, _ in list(takewhile(lambda one: one[1] <= late, self._asking.items())):
            self.cut(visitor, "late")

    def cut(self, visitor: Visitor, reason: Cut) -> None:
        """End a connection, and count why."""
        self.count(reason)
        self.leaves(visitor)
        visitor.cut()

    def count(self, reason: Cut) -> None:
        """Count a connection that was ended by us."""
        self._metrics.cut(self._port, reason).inc()

    def _make_room(self) -> bool:
        """Cut off who waits longest: for its first request, if anybody does."""
        longest = next(iter(self._asking), None) or next(iter(self._idle), None)
        if longest is None:
            return False
        self.cut(longest, "crowded")
        return True

    def _tell(self) -> None:
        self._metrics.connections(self._port).set(len(self._inside))
