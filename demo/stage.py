"""Everything up and ready: files unpacked, configuration written, proxy and evaluator serving."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from aiohttp import ClientSession, ClientTimeout

from demo.configuration import Config, Ports, fitted, template, without_embedder, write
from demo.place import Place, taken
from demo.ports import free_ports
from demo.services import PortTaken, Service, ServiceFailed, running
from demo.site import Site
from proxy.embedders.onnx import Onnx

T = TypeVar("T")

TOKEN_ENV: Final = "SHADOWRANK_ADMIN_TOKEN"
"""The variable that demo.yaml names."""
REQUEST_SECONDS: Final = 30.0
GRACE: Final = 1.0
"""Seconds in which a refused connection turns out to be the end of a service."""

USUAL: Final = Ports()
ANY: Final = Ports(0, 0, 0)
TRIES: Final = (USUAL, ANY, ANY)
"""The ports to ask for, one try after another: between the choice and the start another program
may take one, such as a second demo."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is there before anything serves: files unpacked, ports and configuration chosen.

    `missing` says why there is no embedding model, if there is none: then searches must bring
    vectors, and `config` asks no model.
    """

    place: Place
    site: Site
    config: Config
    missing: str | None

    def running(self, module: str) -> AbstractAsyncContextManager[Service]:
        """One of the two services."""
        environ = {TOKEN_ENV: self.place.token}
        return running(module, self.place.config, self.place.state, environ)

    async def reload(self, config: Config) -> None:
        """Put another configuration in force in the proxy. Raises ClientError if refused."""
        write(config, self.place.config)
        await self.site.ask("/admin/reload", {})


@dataclass(frozen=True, slots=True)
class Stage:
    """A setting with both services up. Its `config` is what rules when nothing is broken."""

    setting: Setting
    proxy: Service
    evaluator: Service

    async def during(self, work: Coroutine[Any, Any, T]) -> T:
        """Do `work` while both services live. Raises ServiceFailed when one of them ends."""
        wanted = asyncio.create_task(work)
        ends = [asyncio.create_task(service.watch()) for service in (self.proxy, self.evaluator)]
        try:
            await asyncio.wait((wanted, *ends), return_when=asyncio.FIRST_COMPLETED)
            if wanted.done() and wanted.exception() is not None:
                await asyncio.wait(ends, timeout=GRACE, return_when=asyncio.FIRST_COMPLETED)
            for end in ends:
                if end.done():
                    end.result()
            return wanted.result()
        finally:
            for task in (wanted, *ends):
                task.cancel()
            await asyncio.gather(wanted, *ends, return_exceptions=True)


@asynccontextmanager
async def prepared(
    folder: Path, served_window: float, wanted: Ports = USUAL
) -> AsyncIterator[Setting]:
    """Have everything in `folder` that the services need. Raises InUse."""
    timeout = ClientTimeout(total=REQUEST_SECONDS)
    async with taken(folder) as place, ClientSession(timeout=timeout) as http:
        ports = Ports(*free_ports((wanted.public, wanted.admin, wanted.evaluator)))
        missing = next(iter(Onnx().problems()), None)
        config = fitted(template(), place.state, ports, served_window)
        if missing is not None:
            config = without_embedder(config)
        write(config, place.config)
        yield Setting(place, Site(http, ports, place.token), config, missing)


@asynccontextmanager
async def opened(
    folder: Path, served_window: float, tries: Sequence[Ports] = TRIES
) -> AsyncIterator[Stage]:
    """Set the stage; clear it at the end. Raises InUse, ServiceFailed."""
    async with AsyncExitStack() as stack:
        for wanted in tries:
            with suppress(PortTaken):
                stage = await stack.enter_async_context(_set(folder, served_window, wanted))
                break
        else:
            raise ServiceFailed("other programs took the chosen ports each time; try again")
        yield stage


@asynccontextmanager
async def _set(folder: Path, served_window: float, wanted: Ports) -> AsyncIterator[Stage]:
    """One try. Raises PortTaken as well."""
    async with (
        prepared(folder, served_window, wanted) as setting,
        setting.running("proxy") as proxy,
        setting.running("evaluator") as evaluator,
    ):
        site, ports = setting.site, setting.site.ports
        await proxy.ready((ports.public, ports.admin), site.proxy_answers)
        await evaluator.ready((ports.evaluator,), site.evaluator_answers)
        pids = f"{proxy.process.pid} {evaluator.process.pid}\n"
        setting.place.pids.write_text(pids)
        yield Stage(setting, proxy, evaluator)
