from __future__ import annotations

import asyncio

import pytest

from proxy.errors import BadRequest, UnknownRoute
from proxy.model import Query, Terms, TermsFacet


async def test_an_unknown_route_names_the_known_ones(start, fruit):
    """
    Who mistypes a route learns which there are.
    """
    generation = (await start(fruit)).service.generation

    with pytest.raises(UnknownRoute) as caught:
        generation.route("frut")

    assert ("fruit",) == caught.value.choices


async def test_everybody_keeps_their_pipeline(start, fruit):
    """
    A user's searches are all answered by one pipeline, another user's perhaps by another.
    """
    fruit["routes"]["fruit"] |= {"live": {"rrf60": 0.5, "bm25": 0.5}, "shadows": {}}
    route = (await start(fruit)).service.generation.routes["fruit"]

    def chosen(user: int, nonce: int) -> str:
        query = Query("t", bytes([nonce]) * 16, "fruit", "a", user=bytes([user]) * 16)
        return route.live(query).name

    by_user = [{chosen(user, nonce) for nonce in range(5)} for user in range(50)]
    assert {1} == {len(names) for names in by_user}
    assert {"rrf60", "bm25"} == set().union(*by_user)


async def test_used_pipelines_are_told_by_role(start, fruit):
    """
    Live and shadow are different facts of the same pipeline.
    """
    fruit["routes"]["fruit"]["shadows"] = {"rrf60": 0.5}
    generation = (await start(fruit)).service.generation

    assert [("fruit", "rrf60", "live"), ("fruit", "rrf60", "shadow")] == [
        each[:3] for each in generation.used()
    ]
    assert ["rrf60"] == [each.name for each in generation.routes["fruit"].pipelines()]


async def test_a_filter_of_another_type_does_not_suit(start, fruit):
    """
    The index knows what its fields hold.
    """
    route = (await start(fruit)).service.generation.routes["fruit"]

    route.suits([Terms("year", (2001,)), Terms("color", ("red",))])
    with pytest.raises(BadRequest) as caught:
        route.suits([Terms("color", ("red",)), Terms("year", ("red",))])
    assert "filters[1]" == caught.value.field


async def test_a_facet_over_analysed_text_does_not_suit(start, fruit):
    """
    Its words are no values; what the primary leg reads is what is counted.
    """
    route = (await start(fruit)).service.generation.routes["fruit"]

    route.suits([], [TermsFacet("colors", "color")])
    with pytest.raises(BadRequest) as caught:
        route.suits([], [TermsFacet("colors", "color"), TermsFacet("words", "text")])
    assert "facets.words" == caught.value.field


async def test_it_retires_when_nobody_holds_it(start, fruit):
    """
    The parts stay open for the last holder.
    """
    service = (await start(fruit)).service
    generation = service.generation
    with generation.held():
        retiring = asyncio.create_task(generation.retire())
        await asyncio.sleep(0.01)
        assert not retiring.done()
        assert generation.lease.live.backends
    await retiring
