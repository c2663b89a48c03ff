"""Serving until told otherwise: SIGTERM or SIGINT ends it, a second hurries, SIGHUP reloads."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable

from config.secrets import Secrets
from proxy.plan import Plan
from proxy.serving import Grace, Running, running

log = logging.getLogger(__name__)


async def serve_until_stopped(
    plan: Plan, read: Callable[[], Plan], secrets: Secrets, opened: Callable[[], None]
) -> int:
    """The exit code: 0 when stopped by a signal, 1 when a task that must run died.

    `opened` is called once everything is. Raises what `serving.running` does.
    """
    signals = _Signals()
    try:
        async with running(plan, read, secrets, signals.grace) as process:
            signals.process = process
            opened()
            log.info("serving", extra={"public": process.public, "private": process.private})
            died = await _wait(signals.stop, process)
            signals.stop.set()
            log.info("stopping")
    except asyncio.CancelledError:
        if not signals.grace.hurried:
            raise
        return 0
    log.info("stopped")
    return 1 if died else 0


async def _wait(stop: asyncio.Event, process: Running) -> bool:
    """Wait for the signal; True if a task of the process ended before it."""
    stopped = asyncio.create_task(stop.wait())
    await asyncio.wait((stopped, *process.tasks), return_when=asyncio.FIRST_COMPLETED)
    died = [task for task in process.tasks if task.done()]
    for task in died:
        log.error("a task died", exc_info=task.exception())
    stopped.cancel()
    return bool(died)


class _Signals:
    """What the signals say; installed before anything opens, since that can take minutes."""

    def __init__(self) -> None:
        self.stop = asyncio.Event()
        self.grace = Grace()
        self.process: Running | None = None
        self._task = asyncio.current_task()
        self._reloads: set[asyncio.Task[object]] = set()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._end)
        loop.add_signal_handler(signal.SIGHUP, self._reload)

    def _end(self) -> None:
        """First: stop serving. Again, or before it serves: give up what is waited for now."""
        if self.process is not None and not self.stop.is_set():
            self.stop.set()
            return
        self.grace.hurried = True
        assert self._task is not None  # a coroutine always runs in a task
        self._task.cancel()

    def _reload(self) -> None:
        if self.process is None or self.stop.is_set():
            log.warning("reload ignored: not serving")
            return
        task: asyncio.Task[object] = asyncio.create_task(self.process.reloader.reload())
        self._reloads.add(task)
        task.add_done_callback(self._reloaded)

    def _reloaded(self, task: asyncio.Task[object]) -> None:
        self._reloads.discard(task)
        if not task.cancelled() and (bug := task.exception()) is not None:
            log.error("reload raised", exc_info=bug)
