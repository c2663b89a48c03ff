"""The last lines on the terminal."""

from __future__ import annotations

from pathlib import Path

from aiohttp import ClientSession

from demo.configuration import Ports
from demo.directions import accounts, addresses, keeping, leaving
from demo.site import Site
from demo.totals import Totals


def test_what_was_lost_is_told_with_its_reason():
    """
    Totals and reasons stand side by side.
    """
    found = Totals(
        4000, 1, {"no_leg": 1}, 3999, 3998, {"full": 1}, 20, 18, {"clock": 2}, 60, 60, {}
    )

    assert (
        "2,500 users, 4,000 searches, 1 errors (1 no_leg). "
        "3,998 of 3,999 impressions stored (1 full), "
        "18 of 20 events accepted (2 clock), 60 of 60 shadows run." == accounts(found, 2500)
    )


def test_who_keeps_it_is_told_what_to_edit():
    """
    The two paths that the tour needs are named.
    """
    text = keeping(Path("a/shadowrank.yaml"), Path("a/pids"))

    assert "a/shadowrank.yaml" in text
    assert "kill -HUP $(cat a/pids)" in text


async def test_ports_that_are_not_the_usual_ones_are_said_to_be_others():
    """
    Who follows the tour sees at the start that its URLs are not these.
    """
    async with ClientSession() as http:
        usual = addresses(Site(http, Ports(), "secret"))
        other = addresses(Site(http, Ports(8080, 9400, 1234), "secret"))

    assert "While it runs:" in usual
    assert "http://127.0.0.1:8080/v1/scifact/search?q=" in usual
    assert "on other ports, for 8080, 9400 or 9401 was taken" in other
    assert "http://127.0.0.1:1234/metrics" in other


def test_who_does_not_keep_it_is_told_how_to():
    """
    The services are gone in a moment.
    """
    assert "make demo KEEP=1" in leaving()
