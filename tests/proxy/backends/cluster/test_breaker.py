"""When a node counts as down."""

from __future__ import annotations

from proxy.backends.cluster.breaker import FAILURES, LONGEST_PAUSE, SILENCES, Breaker


def test_failures_in_a_row_open_it_and_one_success_closes_it() -> None:
    """
    Scattered failures are no outage.
    """
    breaker = Breaker()
    seen = []

    for _ in range(FAILURES - 1):
        breaker.failed()
    breaker.succeeded()
    for _ in range(FAILURES):
        seen.append(breaker.open)
        breaker.failed()
    seen.append(breaker.open)
    breaker.succeeded()

    assert [*[False] * FAILURES, True, False] == [*seen, breaker.open]


def test_silence_takes_longer_to_tell() -> None:
    """
    A slow query is no outage; that nothing at all is answered is one.
    """
    breaker = Breaker()

    for _ in range(SILENCES - 1):
        breaker.silent()
    early = breaker.open
    breaker.silent()

    assert (False, True) == (early, breaker.open)


def test_probes_become_rarer_up_to_a_bound() -> None:
    """
    A node that is back is seen within seconds.
    """
    breaker = Breaker()
    for _ in range(FAILURES):
        breaker.failed()
    pauses = []

    for _ in range(6):
        pauses.append(breaker.pause)
        breaker.probe_failed()

    assert [0.5, 1.0, 2.0, 4.0, LONGEST_PAUSE, LONGEST_PAUSE] == pauses
