"""The last lines on the terminal."""

from __future__ import annotations

from pathlib import Path

from demo.directions import accounts, keeping
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
