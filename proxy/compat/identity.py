"""What `/` answers: enough for a client to know what it talks to."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from proxy.compat import answers, parameters
from proxy.compat.responses import engine, json, wanted
from proxy.compat.searching import indexed
from proxy.generation import Generation
from proxy.routes import SERVICE
from proxy.routes import parameters as parameters_of

NUMBERS: Final = {"8": "8.19.0", "9": "9.2.0"}
"""What a client is told that wants to be compatible with a version of Elasticsearch."""
OPENSEARCH: Final = {"distribution": "opensearch", "number": "3.5.0"}


@engine
async def info(request: web.Request) -> web.StreamResponse:
    """`/`."""
    form = parameters.form(parameters.known(parameters_of(request)))
    said = identity(wanted(request), _opensearch(request.app[SERVICE].generation))
    return json(request, answers.encoded(said, form))


def identity(version: str | None, opensearch: bool) -> dict[str, object]:
    """What this is to a client that wants a version of Elasticsearch, or to any other."""
    if version is None and opensearch:
        said = OPENSEARCH
        tagline = "The OpenSearch Project: https://opensearch.org/"
    else:
        number = NUMBERS[version or "8"]
        said = {"number": number, "build_flavor": "default"}
        tagline = "You Know, for Search"
    return {
        "name": "shadowrank",
        "cluster_name": "shadowrank",
        "version": said,
        "tagline": tagline,
    }


def _opensearch(generation: Generation) -> bool:
    """Whether all that is served here comes from OpenSearch."""
    kinds = dict(generation.plan.settings.backends)
    read = (route.plan.primary[1].backend for route in indexed(generation).values())
    return {kinds[backend].kind for backend in read} == {"opensearch"}
