"""The proxy and the evaluator as processes: started, waited for, watched, stopped."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from errno import EADDRINUSE
from pathlib import Path
from typing import Final

from demo.ports import listens

READY_SECONDS: Final = 120.0
"""Building the index for the first time takes most of it on a slow machine."""
STOP_SECONDS: Final = 15.0
LAST_LINES: Final = 12
"""How much of a failed service's log is shown."""


class ServiceFailed(Exception):
    """A service ended by itself or never became ready; carries what it said last."""


class PortTaken(ServiceFailed):
    """A service could not listen: somebody else was quicker."""


@dataclass(frozen=True, slots=True)
class Service:
    """A running service: `python -m <module> serve --config FILE`, its output kept in `log`."""

    module: str
    process: Process
    log: Path

    async def ready(self, ports: Sequence[int], answers: Callable[[], Awaitable[bool]]) -> None:
        """Return when this very process listens on all `ports`, and `answers` agrees.

        Raises PortTaken, or ServiceFailed for any other end and for taking too long.
        """
        try:
            async with asyncio.timeout(READY_SECONDS):
                while not (self._listens(ports) and await answers()):
                    if self.process.returncode is not None:
                        raise self._ended(self.process.returncode)
                    await asyncio.sleep(0.1)
        except TimeoutError:
            raise self._failed(f"is not ready after {READY_SECONDS:.0f} s") from None

    async def watch(self) -> None:
        """Raise ServiceFailed when it ends; never returns."""
        raise self._ended(await self.process.wait())

    async def stop(self) -> None:
        """Let it finish what it has begun; kill it only if it doesn't end."""
        if self.process.returncode is not None:
            return
        self.process.terminate()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await self.process.wait()
        except TimeoutError:
            self.process.kill()
            await self.process.wait()

    def _listens(self, ports: Sequence[int]) -> bool:
        return all(listens(self.process.pid, port) for port in ports)

    def _ended(self, exit_code: int) -> ServiceFailed:
        failure = self._failed(f"ended with exit code {exit_code}")
        taken = os.strerror(EADDRINUSE).lower() in str(failure).lower()
        return PortTaken(str(failure)) if taken else failure

    def _failed(self, what: str) -> ServiceFailed:
        said = self.log.read_text(errors="replace").splitlines()[-LAST_LINES:]
        return ServiceFailed("\n".join((f"the {self.module} {what}. The end of its log:", *said)))


@asynccontextmanager
async def running(
    module: str, config: Path, folder: Path, environ: Mapping[str, str]
) -> AsyncIterator[Service]:
    """Start one, and stop it at the end; in a session of its own: Ctrl-C reaches the demo alone."""
    log = folder / f"{module}.log"
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", module, "serve", "--config", str(config)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, **environ},
            start_new_session=True,
        )
    service = Service(module, process, log)
    try:
        yield service
    finally:
        await service.stop()
