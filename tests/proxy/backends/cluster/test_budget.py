"""The retry budget."""

from __future__ import annotations

from proxy.backends.cluster.budget import MOST, PER_SECOND, Budget


def test_a_storm_is_asked_again_for_a_tenth() -> None:
    """
    What was saved up is spent at first; then one retry for ten requests.
    """
    budget = Budget(lambda: 0.0)
    spent = 0

    for _ in range(1000):
        budget.earn()
        spent += budget.take()

    assert 100 <= spent <= 100 + MOST


def test_quiet_traffic_may_retry() -> None:
    """
    Time fills the budget too, up to a bound.
    """
    now = [0.0]
    budget = Budget(lambda: now[0])
    while budget.take():
        pass

    now[0] = 1.0
    after_a_second = sum(budget.take() for _ in range(100))
    now[0] = 1000.0
    after_long = sum(budget.take() for _ in range(100))

    assert (int(PER_SECOND), int(MOST)) == (after_a_second, after_long)
