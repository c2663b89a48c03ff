from __future__ import annotations

import json

import pytest

from proxy.errors import BadRequest, UnknownRoute
from proxy.wire.explanations import from_body


async def test_a_route_and_a_search(start, fruit):
    """
    Beside the route it is a search like any other.
    """
    generation = (await start(fruit)).service.generation

    route, asked = from_body(b'{"route": "fruit", "query": "fig", "size": 3}', generation)

    assert ("fruit", "fig", 3) == (route.plan.name, asked.text, asked.size)


@pytest.mark.parametrize(
    ("body", "error", "field"),
    [
        ({"query": "a"}, BadRequest, "route"),
        ({"route": 5, "query": "a"}, BadRequest, "route"),
        ({"route": "veg", "query": "a"}, UnknownRoute, "route"),
        ({"route": "fruit", "query": ""}, BadRequest, "query"),
        ({"route": "fruit", "query": "a", "type": "search"}, BadRequest, "type"),
    ],
)
async def test_what_is_wrong_is_named(start, fruit, body, error, field):
    """
    A route that is missing or unknown names those there are.
    """
    generation = (await start(fruit)).service.generation

    with pytest.raises(error) as caught:
        from_body(json.dumps(body).encode(), generation)

    assert field == caught.value.field
    assert field != "route" or isinstance(body.get("route"), int) or caught.value.choices
