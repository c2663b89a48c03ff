from __future__ import annotations

import pytest

from proxy.compat.identity import identity

VND = "application/vnd.elasticsearch+json; compatible-with="


@pytest.mark.parametrize(
    ("version", "opensearch", "number", "distribution"),
    [
        (None, False, "8.19.0", None),
        ("8", True, "8.19.0", None),
        ("9", True, "9.2.0", None),
        ("9", False, "9.2.0", None),
        (None, True, "3.5.0", "opensearch"),
    ],
)
def test_a_client_is_told_what_it_can_talk_to(version, opensearch, number, distribution):
    """
    Its own version if it says one, else the engine's kind.
    """
    said = identity(version, opensearch)["version"]

    assert isinstance(said, dict)
    assert (number, distribution) == (said["number"], said.get("distribution"))


async def test_the_root_answers_for_routes_with_an_index(start, market):
    """
    Which is how clients introduce themselves, and ping.
    """
    proxy = await start(market)

    status, said = await proxy.get("/", headers={"accept": f"{VND}9"})

    assert (200, "9.2.0", "shadowrank") == (status, said["version"]["number"], said["name"])
    assert "You Know, for Search" == said["tagline"]
    async with proxy.session.head(proxy.url) as got:
        assert (200, "Elasticsearch") == (got.status, got.headers["x-elastic-product"])
