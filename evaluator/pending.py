"""Records that came before their impression and wait for it, at most `PENDING_MS` of the stream."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from evaluator.rules import PENDING_MS
from proxy.events.records import Event, Shadows


class Waiting(NamedTuple):
    """An event or a shadows record, with the milliseconds of its record id and its bytes."""

    ms: int
    record: Event | Shadows
    raw: bytes


class Pending:
    """Waiting records by the impression they name."""

    def __init__(self) -> None:
        self._by_impression: dict[bytes, list[Waiting]] = {}
        self._order: deque[tuple[int, bytes]] = deque()

    def add(self, waiting: Waiting) -> None:
        """Keep it until its impression comes or its time is over."""
        self._by_impression.setdefault(waiting.record.id, []).append(waiting)
        self._order.append((waiting.ms, waiting.record.id))

    def take(self, impression: bytes) -> list[Waiting]:
        """Those that wait for it, in stream order; they wait no longer."""
        return self._by_impression.pop(impression, [])

    def expire(self, clock: int) -> Iterator[Waiting]:
        """Those whose time is over at `clock`; they wait no longer."""
        while self._order and self._order[0][0] + PENDING_MS < clock:
            _, impression = self._order.popleft()
            kept = self._by_impression.pop(impression, [])
            yield from (waiting for waiting in kept if waiting.ms + PENDING_MS < clock)
            if still := [waiting for waiting in kept if waiting.ms + PENDING_MS >= clock]:
                self._by_impression[impression] = still
