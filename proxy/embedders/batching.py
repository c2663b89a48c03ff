"""Texts asked at about the same time go to the model in one call."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self, TypeAlias

from proxy.backends import Vector
from proxy.errors import BackendError, BackendTimeout

Ask: TypeAlias = Callable[[Sequence[str]], Awaitable[Sequence[Vector | BackendError]]]
"""One call: an outcome a text, in their order. Raises BackendError where all have failed."""


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    """A text and where its caller waits."""

    text: str
    outcome: asyncio.Future[Vector]


class Batcher:
    """An embedder over calls of up to `batch` texts, `concurrency` of them at once.

    A text waits up to `gather` seconds for company, and beyond that only while every call is under
    way; it has `seconds` for all of it. A call that nobody waits for any more is stopped.
    """

    def __init__(
        self, ask: Ask, *, batch: int, gather: float, concurrency: int, seconds: float
    ) -> None:
        self._ask = ask
        self._batch = batch
        self._gather = gather
        self._concurrency = concurrency
        self._seconds = seconds
        self._queue: deque[_Waiting] = deque()
        self._calls: dict[asyncio.Task[None], Sequence[_Waiting]] = {}
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, at: TracebackType | None
    ) -> None:
        """Stop what runs and what waits; the callers get BackendError."""
        if self._timer is not None:
            self._timer.cancel()
        _fail(self._queue, BackendError("the embedder was closed"))
        self._queue.clear()
        calls = list(self._calls)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)

    async def embed(self, text: str) -> Vector:
        """The text's vector. Raises BackendError as the call does, BackendTimeout when late."""
        loop = asyncio.get_running_loop()
        waiting = _Waiting(text, loop.create_future())
        if not self._queue and self._timer is None:
            self._timer = loop.call_later(self._gather, self._gathered)
        self._queue.append(waiting)
        self._send()
        try:
            async with asyncio.timeout(self._seconds):
                return await waiting.outcome
        except asyncio.CancelledError:
            self._abandon(waiting)
            raise
        except TimeoutError:
            self._abandon(waiting)
        raise BackendTimeout(f"no vector in {self._seconds:.3f} s")

    def _gathered(self) -> None:
        self._timer = None
        self._send()

    def _send(self) -> None:
        """Start the calls that may start: full ones at once, others when they were gathered."""
        while len(self._calls) < self._concurrency and self._queue:
            if self._timer is not None and len(self._queue) < self._batch:
                return
            taken = [self._queue.popleft() for _ in range(min(self._batch, len(self._queue)))]
            call = asyncio.create_task(self._call(taken))
            self._calls[call] = taken
            call.add_done_callback(self._ended)
        if not self._queue and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _call(self, taken: Sequence[_Waiting]) -> None:
        outcomes = await self._ask([waiting.text for waiting in taken])
        for waiting, outcome in zip(taken, outcomes, strict=True):
            if isinstance(outcome, BackendError):
                _fail([waiting], outcome)
            elif not waiting.outcome.done():
                waiting.outcome.set_result(outcome)

    def _ended(self, call: asyncio.Task[None]) -> None:
        """Tell whom the call told nothing, and make room for the next."""
        taken = self._calls.pop(call)
        if call.cancelled():
            _fail(taken, BackendError("the embedder was closed"))
        elif (failure := call.exception()) is not None:
            _fail(taken, failure)
        self._send()

    def _abandon(self, waiting: _Waiting) -> None:
        """Nobody waits for this text: leave it out, and stop a call that has no other."""
        if waiting in self._queue:
            self._queue.remove(waiting)
        if not waiting.outcome.cancel() and not waiting.outcome.cancelled():
            waiting.outcome.exception()  # it came in the same moment: it was taken note of
        for call, taken in self._calls.items():
            if waiting in taken and all(each.outcome.done() for each in taken):
                call.cancel()


def _fail(waiting: Sequence[_Waiting] | deque[_Waiting], failure: BaseException) -> None:
    for each in waiting:
        if not each.outcome.done():
            each.outcome.set_exception(failure)
