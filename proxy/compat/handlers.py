"""One search and one count: recognise, ask the service, answer, and only then let it observe."""

from __future__ import annotations

from time import perf_counter

from aiohttp import web

from proxy.compat import answers, bodies, parameters, searching
from proxy.compat.parameters import OF_PAGE, OF_SOURCE
from proxy.compat.responses import engine, json, read
from proxy.routes import SERVICE, follow_soon, measured
from proxy.routes import parameters as parameters_of
from proxy.served import Served


@engine
async def search(request: web.Request) -> web.StreamResponse:
    """`_search`."""
    service, started, index = request.app[SERVICE], perf_counter(), request.match_info["index"]
    generation = service.generation
    name = searching.name(generation, index)
    with generation.held(), measured(name, service.metrics, generation, started):
        route = searching.routed(generation, index)
        given = parameters.known(parameters_of(request), *OF_PAGE, *OF_SOURCE)
        form = parameters.form(given)
        body = parameters.merged(bodies.document(await read(request)), given)
        asked, counts = searching.asked(body, route)
        served = await service.search(generation, route, asked)
        said = answers.page(served, index, perf_counter() - started, form, counts=counts)
        response = json(request, answers.encoded(said, form), headers=_headers(served))
        await response.prepare(request)
        await response.write_eof()
        follow_soon(service, generation, served)
    return response


@engine
async def count(request: web.Request) -> web.StreamResponse:
    """`_count`: how many documents match the text, by the primary leg."""
    service, started, index = request.app[SERVICE], perf_counter(), request.match_info["index"]
    generation = service.generation
    name = searching.name(generation, index)
    with generation.held(), measured(name, service.metrics, generation, started):
        route = searching.routed(generation, index)
        form = parameters.form(parameters.known(parameters_of(request)))
        asked = searching.counted(bodies.document(await read(request)), route)
        served = await service.search(generation, route, asked)
        follow_soon(service, generation, served)
        return json(request, answers.encoded(answers.count(served), form))


def _headers(served: Served) -> dict[str, str]:
    """What a page says of itself beside its body."""
    told = {"X-Query-Id": served.query.id} if served.logged else {}
    degraded = answers.degraded(served)
    return {**told, "X-Degraded": degraded} if degraded else told
