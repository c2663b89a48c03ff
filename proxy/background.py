"""Work that nobody waits for: a bounded queue and a bounded number of workers.

Nothing here is ever awaited by a live answer. What doesn't fit is dropped at once, and every job is
either run to its end or told, once, why it wasn't.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Final, Literal, Protocol, TypeAlias

log = logging.getLogger(__name__)

Reason: TypeAlias = Literal["full", "killed", "shutdown", "bug"]
"""Why a job was dropped: the queue was full, an operator stopped them, we stop, or it raised."""
WORKERS: Final = 16
QUEUE: Final = 256


class Job(Protocol):
    """A piece of work. Exactly one of: `run` returns, or `drop` is called (perhaps amid `run`)."""

    async def run(self) -> None:
        """Do it. Cancelled when it must stop."""
        ...

    def drop(self, reason: Reason) -> None:
        """Account for it: it won't be done."""
        ...


class Background:
    """Runs jobs with `workers` at a time and at most `queue` waiting."""

    def __init__(self, workers: int = WORKERS, queue: int = QUEUE) -> None:
        self._queue: asyncio.Queue[Job] = asyncio.Queue(queue)
        self._stopped: Reason | None = None
        self._workers = [asyncio.create_task(self._work()) for _ in range(workers)]

    @property
    def killed(self) -> bool:
        """Has an operator stopped it for good?"""
        return self._stopped == "killed"

    def offer(self, job: Job) -> None:
        """Take the job or drop it at once; never waits."""
        if self._stopped is not None:
            job.drop(self._stopped)
            return
        try:
            self._queue.put_nowait(job)
        except asyncio.QueueFull:
            job.drop("full")

    def kill(self) -> None:
        """Stop all jobs, those running too, and take no more until this process starts again."""
        self._stop("killed")

    async def close(self, seconds: float) -> None:
        """Let what was taken finish, but no longer than `seconds`; then drop the rest."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._queue.join()
        self._stop("shutdown")
        await asyncio.gather(*self._workers, return_exceptions=True)

    def _stop(self, reason: Reason) -> None:
        if self._stopped is None:
            self._stopped = reason
        for worker in self._workers:
            worker.cancel()
        while not self._queue.empty():
            self._queue.get_nowait().drop(self._stopped)
            self._queue.task_done()

    async def _work(self) -> None:
        while True:
            job = await self._queue.get()
            try:
                await job.run()
            except asyncio.CancelledError:
                job.drop(self._stopped or "shutdown")
                raise
            except Exception:  # a worker must outlive a bug in one job, or all shadows would stop
                log.exception("job failed")
                job.drop("bug")
            finally:
                self._queue.task_done()
