"""Records that came before their impression and wait for it, at most `PENDING_MS` of the stream."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from evaluator.rules import PENDING_MS
from proxy.events.records import Event, Shadows


@dataclass(slots=True, eq=False)
class Waiting:
    """An event or a shadows record, with the milliseconds of its record id and its bytes.

    `settled` once its impression has come or it was given up.
    """

    ms: int
    record: Event | Shadows
    raw: bytes
    settled: bool = False


class Pending:
    """Waiting records by the impression they name, and then by their bytes."""

    def __init__(self) -> None:
        self._by_impression: dict[bytes, dict[bytes, Waiting]] = {}
        self._kept: deque[Waiting] = deque()
        self._unsettled: deque[Waiting] = deque()

    def add(self, waiting: Waiting) -> bool:
        """Keep it until its impression comes or its time is over; False if it is here already."""
        beside = self._by_impression.setdefault(waiting.record.id, {})
        if waiting.raw in beside:
            return False
        beside[waiting.raw] = waiting
        self._kept.append(waiting)
        self._unsettled.append(waiting)
        return True

    def take(self, impression: bytes, ms: int) -> list[Waiting]:
        """Those that wait for an impression of that record time, in stream order; no longer.

        By the stream alone: also one that was given up, if the clock that said so ran ahead of it.
        """
        found = [
            waiting
            for waiting in self._by_impression.pop(impression, {}).values()
            if waiting.ms + PENDING_MS >= ms
        ]
        for waiting in found:
            waiting.settled = True
        return found

    def overdue(self, clock: int) -> Iterator[Waiting]:
        """Those whose time is over at `clock`, each once: they are given up."""
        while self._unsettled and self._unsettled[0].ms + PENDING_MS < clock:
            waiting = self._unsettled.popleft()
            if not waiting.settled:
                waiting.settled = True
                yield waiting

    def forget(self, ms: int) -> None:
        """Drop what no impression from record time `ms` on can take."""
        while self._kept and self._kept[0].ms + PENDING_MS < ms:
            gone = self._kept.popleft()
            waiting = self._by_impression.get(gone.record.id, {})
            if waiting.get(gone.raw) is gone:
                del waiting[gone.raw]
                if not waiting:
                    del self._by_impression[gone.record.id]
