"""Query vectors remembered: a text asked for again is not embedded again, at once or later."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from proxy.backends import Vector
from proxy.embedders import Embedder
from proxy.errors import BackendError

LONGEST: Final = 2_048
"""A longer text's vector is not kept: the text would be too, and long ones don't repeat."""


@dataclass(slots=True, eq=False)
class _Running:
    """A computation and how many callers wait for it."""

    task: asyncio.Task[Vector]
    waiting: int = 0


class Lru:
    """An embedder that keeps the last `size` vectors of another, and runs one computation a text.

    A caller that gives up leaves the others' computation alone; the last one to give up stops it.
    """

    def __init__(self, embedder: Embedder, size: int) -> None:
        self._embedder = embedder
        self._size = size
        self._kept: OrderedDict[str, Vector] = OrderedDict()
        self._running: dict[str, _Running] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, at: TracebackType | None
    ) -> None:
        """Stop what still runs; its callers get BackendError."""
        tasks = [running.task for running in self._running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def remembers(self, text: str) -> bool:
        """Whether the text's vector is kept, or being computed for somebody else already."""
        return text in self._kept or text in self._running

    async def embed(self, text: str) -> Vector:
        """The text's vector, kept or computed. Raises BackendError as the other embedder does."""
        if (vector := self._kept.get(text)) is not None:
            self._kept.move_to_end(text)
            return vector
        running = self._running.get(text)
        if running is None:
            running = self._running[text] = _Running(asyncio.create_task(self._compute(text)))
        running.waiting += 1
        try:
            await asyncio.wait({running.task})
        except asyncio.CancelledError:
            self._abandon(text, running)
            raise
        if running.task.cancelled():
            raise BackendError("the embedder was closed")
        return running.task.result()

    async def _compute(self, text: str) -> Vector:
        try:
            vector = await self._embedder.embed(text)
        finally:
            self._forget(text)
        if len(text) <= LONGEST and self._size:
            self._kept[text] = vector
            if len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return vector

    def _abandon(self, text: str, running: _Running) -> None:
        """One caller less; without any, stop the computation or take note of how it ended."""
        running.waiting -= 1
        if running.waiting:
            return
        if not running.task.done():
            del self._running[text]
            running.task.cancel()
        elif not running.task.cancelled():
            running.task.exception()

    def _forget(self, text: str) -> None:
        """Drop the text's computation, unless a newer one has taken its place."""
        running = self._running.get(text)
        if running is not None and running.task is asyncio.current_task():
            del self._running[text]
