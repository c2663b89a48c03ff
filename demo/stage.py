"""Everything up and ready: files unpacked, configuration written, proxy and evaluator serving."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from aiohttp import ClientSession, ClientTimeout

from demo.configuration import Config, Ports, fitted, template, without_embedder, write
from demo.place import Place, taken
from demo.services import Service, free_port, running
from demo.site import Site
from proxy.embedders.onnx import Onnx

T = TypeVar("T")

TOKEN_ENV: Final = "SHADOWRANK_ADMIN_TOKEN"
"""The variable that demo.yaml names."""
GRACE: Final = 1.0
"""Seconds in which a refused connection turns out to be the end of a service."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A serving demo. `config` is what rules when nothing is broken; `missing` says why there is no
    embedding model, if there is none: then searches must bring vectors.
    """

    place: Place
    site: Site
    config: Config
    proxy: Service
    evaluator: Service
    missing: str | None

    async def reload(self, config: Config) -> None:
        """Put another configuration in force in both services. Raises ClientError."""
        write(config, self.place.config)
        self.evaluator.reload()
        await self.site.ask("/admin/reload", {})

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
async def opened(folder: Path, served_window: float) -> AsyncIterator[Stage]:
    """Set the stage; clear it at the end. Raises InUse, ServiceFailed."""
    async with taken(folder) as place, _http() as http:
        ports = Ports(free_port(8080), free_port(9400), free_port(9401))
        site = Site(http, ports, place.token)
        missing = next(iter(Onnx().problems()), None)
        config = fitted(template(), place.state, ports, served_window)
        if missing is not None:
            config = without_embedder(config)
        write(config, place.config)
        environ = {TOKEN_ENV: place.token}
        async with (
            running("proxy", place.config, place.state, environ) as proxy,
            running("evaluator", place.config, place.state, environ) as evaluator,
        ):
            await proxy.ready(http, site.admin)
            await evaluator.ready(http, site.evaluator)
            yield Stage(place, site, config, proxy, evaluator, missing)


def _http() -> ClientSession:
    return ClientSession(timeout=ClientTimeout(total=30))
