"""Records that wait for their impression."""

from __future__ import annotations

from evaluator.pending import Pending, Waiting
from evaluator.rules import PENDING_MS
from tests.evaluator.made import event


def waiting(ms: int, name: str = "i") -> Waiting:
    """An event that came at `ms`."""
    return Waiting(ms, event("click", "a", after=ms, name=name), b"")


def test_they_are_handed_to_their_impression_once() -> None:
    """
    In the order they came.
    """
    pending = Pending()
    for ms in (1, 2):
        pending.add(waiting(ms))
    pending.add(waiting(3, "other"))

    assert [1, 2] == [each.ms for each in pending.take(b"i")]
    assert [] == pending.take(b"i")


def test_they_are_given_up_after_two_minutes() -> None:
    """
    Those that are over, and no others.
    """
    pending = Pending()
    for ms in (0, 10):
        pending.add(waiting(ms))

    assert [] == list(pending.expire(PENDING_MS))
    assert [0] == [each.ms for each in pending.expire(PENDING_MS + 1)]
    assert [10] == [each.ms for each in pending.take(b"i")]
