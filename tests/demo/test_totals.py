"""Totals from two scrapes of the proxy."""

from __future__ import annotations

from dataclasses import replace

import pytest

from demo.scrape import Scrape
from demo.totals import Sent, Totals, totals

Counts = dict[tuple[str, str], float]
REQUESTS, LOG = "shadowrank_request_seconds_count", "shadowrank_log_records_total"
EVENTS, SHADOWS = "shadowrank_events_total", "shadowrank_shadow_total"
LABELS = {"route": "r", "kind": "impression"}
AFTER: Counts = {
    (REQUESTS, "ok"): 110, (REQUESTS, "error"): 1,
    (LOG, "offered"): 110, (LOG, "stored"): 107,
    (LOG, "dropped_full"): 2, (LOG, "dropped_redis"): 1,
    (EVENTS, "accepted"): 50, (EVENTS, "refused_clock"): 4, (EVENTS, "dropped"): 1,
    (SHADOWS, "sampled"): 600, (SHADOWS, "ok"): 590, (SHADOWS, "timeout"): 3, (SHADOWS, "error"): 2,
    (SHADOWS, "dropped_full"): 5,
}  # fmt: skip
BEFORE: Counts = {(REQUESTS, "ok"): 10, (LOG, "offered"): 10, (LOG, "stored"): 10}
SENT = Sent(searches=101, errors=1, events=55, users=40)
EXPECTED = Totals(
    requests=101, errors=1, failed={"error": 1},
    offered=100, stored=97, dropped={"full": 2, "redis": 1},
    sent=55, accepted=50, refused={"clock": 4, "dropped": 1},
    sampled=600, ran=595, undone={"full": 5},
)  # fmt: skip


def scraped(counts: Counts) -> Scrape:
    return Scrape(
        tuple(
            (name, (*LABELS.items(), ("outcome", outcome)), value)
            for (name, outcome), value in counts.items()
        )
    )


def test_totals_are_what_grew():
    """
    What was counted before the first user is none of theirs.
    """
    assert EXPECTED == totals(scraped(BEFORE), scraped(AFTER), SENT, "r")


def test_records_of_other_kinds_are_no_impressions():
    """
    The log holds events and shadows as well.
    """
    event = ((LOG, (("kind", "event"), ("outcome", "offered")), 9.0),)
    after = Scrape(scraped(AFTER).samples + event)

    assert 100 == totals(scraped(BEFORE), after, SENT, "r").offered


def test_numbers_that_agree_pass():
    """
    Nothing is lost without a count, and only the error itself fails.
    """
    held = EXPECTED.checks(SENT)

    assert {"no_errors"} == {name for name, holds in held.items() if not holds}


@pytest.mark.parametrize(
    ("changed", "failing"),
    [
        ({"requests": 102}, {"requests", "impressions_offered"}),
        ({"stored": 96}, {"impressions_kept"}),
        ({"accepted": 51}, {"events"}),
        ({"ran": 594}, {"shadows"}),
        ({"undone": {}}, {"shadows"}),
    ],
)
def test_a_number_that_disagrees_fails_its_check(changed: dict[str, int], failing: set[str]):
    """
    Every total is held against another.
    """
    held = replace(EXPECTED, **changed).checks(SENT)

    assert failing | {"no_errors"} == {name for name, holds in held.items() if not holds}
