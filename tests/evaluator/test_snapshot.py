"""What the sums of a route say."""

from __future__ import annotations

import pytest

from config.schema import Route
from evaluator.fold import fold
from evaluator.open_impressions import Change
from evaluator.records import BEGINNING
from evaluator.snapshot import Member, Snapshot, members, snapshot
from evaluator.state import State
from tests.evaluator.made import RULES, T0, impression, result

ROUTE = Route(live=(("rrf60", 1.0),), shadows=(("rrf20", 1.0), ("unseen", 1.0)))


def change(number: int, *, clicked: bool, ms: int = T0, version: str = "v1") -> Change:
    """One impression, clicked at rank 1 or not; its shadow had that at rank 3."""
    page = impression(
        f"{number}", user=b"%d" % number, query_key=b"%d" % (number % 40), version=version
    )
    shadow = result(version=version)
    return Change(ms, page, (shadow,), None, ((1, 1),) if clicked else (), False)


def said(*shards: list[Change], clock: int = T0) -> Snapshot:
    """The snapshot of shards that have folded these."""
    states = [State().add(fold(changes, RULES), BEGINNING, clock, RULES) for changes in shards]
    return snapshot(states, members(ROUTE), RULES, clock)


HALF = [change(number, clicked=number % 2 == 0) for number in range(200)]


def test_pipelines_have_the_role_the_configuration_gives_them() -> None:
    """
    Live first; one that wasn't seen says nothing.
    """

    assert [Member("live", "rrf60"), Member("shadow", "rrf20")] == [
        member for member, _ in said(HALF).pipelines
    ]


def test_shards_add_up() -> None:
    """
    Two halves say what the whole says.
    """
    whole, halves = said(HALF), said(HALF[:80], HALF[80:])

    for (_, one), (_, both) in zip(whole.pipelines, halves.pipelines, strict=True):
        for (name, made), (_, merged) in zip(one.measures, both.measures, strict=True):
            assert made.n == merged.n, name
            assert (made.mean, made.low, made.high) == pytest.approx(
                (merged.mean, merged.low, merged.high)
            )


def test_means_intervals_shares_and_latencies() -> None:
    """
    A half clicked at rank 1: RR .5 for live, a third of that for the shadow.
    """
    (_, live), (_, shadow) = said(HALF).pipelines

    assert (200, 0.5) == (live.n, dict(live.measures)["RR"].mean)
    assert 0.5 / 3 == pytest.approx(dict(shadow.measures)["RR"].mean)
    assert dict(live.measures)["RR"].low is not None
    assert {"judged@10": 1.0} == dict(live.shares)
    assert {"judged@10": 1.0, "overlap@10": 1.0} == {
        what: share for what, share in shadow.shares if what != "rbo"
    }
    assert [0.5, 0.95, 0.99] == [share for share, _ in live.latencies]
    assert all(0.0073 < seconds < 0.0088 for _, seconds in live.latencies)


def test_what_was_served_has_shares() -> None:
    """
    A half clicked, none satisfied, none empty, none degraded.
    """
    served = said(HALF).served

    assert {"clicked": 0.5, "satisfied": 0.0, "zero_result": 0.0, "degraded": 0.0} == dict(
        served.shares
    )


def test_only_the_newest_version_speaks() -> None:
    """
    A changed pipeline begins at n = 0.
    """
    changed = [change(n, clicked=True, ms=T0 + 1, version="v2") for n in range(5)]

    (_, live), _ = said([*HALF, *changed]).pipelines

    assert ("v2", 5) == (live.version, live.n)


def test_what_has_left_the_window_says_nothing() -> None:
    """
    A pipeline without impressions in its window has no numbers left, not zeros.
    """
    states = [State().add(fold(HALF, RULES), BEGINNING, T0, RULES)]
    later = snapshot(states, members(ROUTE), RULES, T0 + 24 * RULES.bucket_ms)

    assert [(0, (), (), ())] * 2 == [
        (numbers.n, numbers.measures, numbers.shares, numbers.latencies)
        for _, numbers in later.pipelines
    ]
    assert (0, (), ()) == (later.served.n, later.served.measures, later.served.shares)


def test_nothing_seen_says_nothing() -> None:
    """
    Before the first impression.
    """
    empty = said([])

    assert ((), 0) == (empty.pipelines, empty.served.n)
