"""Several searches in one request, at once, each with a status of its own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter

from aiohttp import web

from proxy.compat import answers, bodies, parameters, searching
from proxy.compat.failures import Failure, Refused, failure
from proxy.compat.parameters import Form
from proxy.compat.responses import engine, json, read
from proxy.compat.shapes import listed
from proxy.errors import SearchError
from proxy.generation import Generation
from proxy.routes import SERVICE, follow_soon, measured
from proxy.routes import parameters as parameters_of
from proxy.served import Served
from proxy.service import Service
from proxy.wire import checks
from proxy.wire.events import MAX_DOC_ID

log = logging.getLogger(__name__)


@engine
async def msearch(request: web.Request) -> web.StreamResponse:
    """`_msearch`."""
    service, started = request.app[SERVICE], perf_counter()
    generation, index = service.generation, request.match_info.get("index")
    with generation.held():
        if index is not None:
            searching.routed(generation, index)
        form = parameters.form(parameters.known(parameters_of(request)))
        several = bodies.searches(await read(request))
        each = _Each(service, generation, index, form)
        done = await asyncio.gather(*(each.answered(*pair) for pair in several))
        said = {
            "took": round(1000 * (perf_counter() - started)),
            "responses": [answer for answer, _ in done],
        }
        response = json(request, answers.encoded(said, form))
        await response.prepare(request)
        await response.write_eof()
        for _, served in done:
            if served is not None:
                follow_soon(service, generation, served)
    return response


@dataclass(frozen=True, slots=True)
class _Each:
    """What the searches of one `_msearch` share."""

    service: Service
    generation: Generation
    index: str | None
    form: Form

    async def answered(
        self, header: object, body: object
    ) -> tuple[Mapping[str, object] | Failure, Served | None]:
        """The answer to one of them, or its error."""
        try:
            return await self._searched(header, body)
        except Exception as exc:
            if not isinstance(exc, SearchError):
                log.exception("request failed", extra={"method": "msearch"})
            return failure(exc), None

    async def _searched(self, header: object, body: object) -> tuple[Mapping[str, object], Served]:
        started, metrics = perf_counter(), self.service.metrics
        index = _index(header, self.index)
        name = searching.name(self.generation, index)
        with measured(name, metrics, self.generation, started):
            route = searching.routed(self.generation, index)
            asked, counts = searching.asked(body, route)
            served = await self.service.search(self.generation, route, asked)
            seconds = perf_counter() - started
            said = answers.page(served, index, seconds, self.form, counts=counts)
        return {**said, "status": 200}, served


def _index(header: object, default: str | None) -> str:
    """The index that a header names, which must be the path's where that has one."""
    given = parameters.header(header, "header", ("index",)).get("index")
    names = given if isinstance(given, list) else [] if given is None else [given]
    if not names and default is not None:
        return default
    if len(listed(names, "header.index", 1)) != 1:
        raise Refused("is missing, and the path names no index", field="header.index")
    index = checks.name(names[0], "header.index", MAX_DOC_ID)
    if default not in (None, index):
        raise Refused("is another index than the path's", field="header.index")
    return index
