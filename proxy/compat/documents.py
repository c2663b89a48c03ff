"""Documents by id, those alone that pass their route's filter."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from aiohttp import web

from proxy.backends import Document
from proxy.compat import answers, bodies, parameters, searching
from proxy.compat.failures import Refused
from proxy.compat.lookups import Lookup, lookups
from proxy.compat.parameters import OF_SOURCE
from proxy.compat.responses import engine, json, read
from proxy.compat.sources import sources
from proxy.errors import BadRequest
from proxy.generation import Generation
from proxy.model import Sources
from proxy.routes import SERVICE
from proxy.routes import parameters as parameters_of
from proxy.wire import checks
from proxy.wire.events import MAX_DOC_ID


@engine
async def get(request: web.Request) -> web.StreamResponse:
    """`_doc/{id}`."""
    generation, index = request.app[SERVICE].generation, request.match_info["index"]
    doc_id = checks.name(request.match_info["id"], "id", MAX_DOC_ID)
    with generation.held():
        route = searching.routed(generation, index)
        given = parameters.known(parameters_of(request), *OF_SOURCE)
        form, shown = parameters.form(given), _shown(given)
        got = (await searching.fetched(generation, route, [doc_id], shown)).get(doc_id)
        said = answers.document(doc_id, _held(got, index), got)
        return json(request, answers.encoded(said, form), status=404 if got is None else 200)


@engine
async def mget(request: web.Request) -> web.StreamResponse:
    """`_mget`: those of one index and with the same fields are fetched together."""
    generation, index = request.app[SERVICE].generation, request.match_info.get("index")
    with generation.held():
        if index is not None:
            searching.routed(generation, index)
        given = parameters.known(parameters_of(request), *OF_SOURCE)
        form = parameters.form(given)
        wanted = lookups(bodies.document(await read(request)), _shown(given))
        placed = list(zip(_indices(generation, wanted, index), wanted, strict=True))
        groups: dict[tuple[str, Sources], list[str]] = {}
        for name, each in placed:
            groups.setdefault((name, each.sources), []).append(each.id)
        found = dict(zip(groups, await _all(generation, groups), strict=True))
        docs = [_said(each.id, name, found[name, each.sources]) for name, each in placed]
        return json(request, answers.encoded({"docs": docs}, form))


def _indices(generation: Generation, wanted: Sequence[Lookup], index: str | None) -> list[str]:
    """The index of every document that is asked for; each must be served here."""
    found = []
    for at, each in enumerate(wanted):
        name = each.index or index
        if name is None:
            raise BadRequest("is missing, and the path names no index", field=f"docs[{at}]._index")
        if index not in (None, name):
            raise Refused("is another index than the path's", field=f"docs[{at}]._index")
        searching.routed(generation, name)
        found.append(name)
    return found


async def _all(
    generation: Generation, groups: Mapping[tuple[str, Sources], Sequence[str]]
) -> list[Mapping[str, Document]]:
    """The documents of every group, at once."""
    asked = (
        searching.fetched(generation, searching.routed(generation, name), ids, shown)
        for (name, shown), ids in groups.items()
    )
    return await asyncio.gather(*asked)


def _said(doc_id: str, index: str, found: Mapping[str, Document]) -> dict[str, object]:
    got = found.get(doc_id)
    return answers.document(doc_id, _held(got, index), got)


def _shown(given: Mapping[str, str]) -> Sources:
    return sources(parameters.source(given), "?_source")


def _held(found: Document | None, index: str) -> str:
    """The index that holds a document."""
    return index if found is None or found.index is None else found.index
