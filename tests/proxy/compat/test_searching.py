from __future__ import annotations

import pytest

from proxy.compat import searching
from proxy.compat.failures import Refused
from proxy.errors import BackendError
from proxy.model import Sources

FRUIT = {"query": {"match": {"text": "fruit"}}}


async def test_an_index_is_its_route_s(start, market):
    """
    Its exact name, and no other.
    """
    proxy = await start(market)
    generation = proxy.service.generation

    assert "fruit" == searching.routed(generation, "market").plan.name
    assert ("fruit", "") == tuple(searching.name(generation, each) for each in ("market", "x"))
    for other in ("fruit", "market,market", "mark*", "_all", "*", "", "-market", "<market>"):
        with pytest.raises(Refused):
            searching.routed(generation, other)


async def test_fields_are_those_of_the_route(start, market):
    """
    What callers may not filter by on one API they may not on the other.
    """
    proxy = await start(market)
    route = searching.routed(proxy.service.generation, "market")
    hidden = {"bool": {"must": FRUIT["query"], "filter": {"term": {"published": False}}}}

    assert "fruit" == searching.asked(FRUIT, route)[0].text
    assert 0 == searching.counted(FRUIT, route).size
    for read in (searching.asked, searching.counted):
        with pytest.raises(Refused) as caught:
            read({"query": hidden}, route)
        assert "query.bool.filter.term.published" == caught.value.field


async def test_documents_that_don_t_pass_the_route_s_filter_are_gone(start, market):
    """
    The twelfth isn't published.
    """
    proxy = await start(market)
    generation = proxy.service.generation
    route = searching.routed(generation, "market")

    found = await searching.fetched(generation, route, ["d1", "d11", "none"], Sources())

    assert ["d1"] == list(found)


async def test_an_engine_that_fails_is_its_own_error(start, scripted):
    """
    For the handler to tell.
    """
    config = scripted({"loses": True})
    config["routes"]["fruit"]["index"] = "market"
    proxy = await start(config)
    route = searching.routed(proxy.service.generation, "market")

    with pytest.raises(BackendError):
        await searching.fetched(proxy.service.generation, route, ["a"], Sources())
