"""What `/admin/explain` is asked: a search request that names its route."""

from __future__ import annotations

from typing import Final

from proxy.errors import BadRequest
from proxy.generation import Generation, OpenRoute
from proxy.wire import checks, search
from proxy.wire.search import Asked

KEYS: Final = ("route", "query", "size", "filters", "vector")


def from_body(raw: bytes, generation: Generation) -> tuple[OpenRoute, Asked]:
    """The route and the request. Raises `BadRequest`, `UnknownRoute`."""
    body = checks.mapping(checks.decoded(raw))
    checks.known(body.keys(), KEYS)
    if "route" not in body:
        raise BadRequest("is missing", field="route", choices=sorted(generation.routes))
    route = generation.route(checks.text(body["route"], "route", search.MAX_NAME))
    rest = {key: value for key, value in body.items() if key != "route"}
    return route, search.from_mapping(rest, route.accepts, "query")
