"""Records that wait for their impression."""

from __future__ import annotations

from evaluator.pending import Pending, Waiting
from evaluator.rules import PENDING_MS
from tests.evaluator.made import event


def waiting(ms: int, name: str = "i") -> Waiting:
    """An event that came at `ms`."""
    return Waiting(ms, event("click", "a", after=ms, name=name), b"%d" % ms)


def pending(*times: int) -> Pending:
    """Some that wait for the impression i."""
    made = Pending()
    for ms in times:
        made.add(waiting(ms))
    return made


def test_they_are_handed_to_their_impression_once() -> None:
    """
    In the order they came.
    """
    made = pending(1, 2)
    made.add(waiting(3, "other"))

    assert [1, 2] == [each.ms for each in made.take(b"i", 9)]
    assert [] == made.take(b"i", 9)


def test_a_record_waits_once() -> None:
    """
    However often it was written; the same bytes may wait for two impressions.
    """
    made = pending(1)

    assert [False, True] == [made.add(waiting(1)), made.add(waiting(1, "other"))]
    assert [1] == [each.ms for each in made.take(b"i", 9)]


def test_they_are_given_up_once_after_two_minutes() -> None:
    """
    Those that are over, and none that was taken.
    """
    made = pending(0, 10)
    made.add(waiting(0, "taken"))
    made.take(b"taken", 1)

    assert [] == list(made.overdue(PENDING_MS))
    assert [0] == [each.ms for each in made.overdue(PENDING_MS + 1)]
    assert [] == list(made.overdue(PENDING_MS + 1))


def test_the_stream_decides_which_an_impression_takes() -> None:
    """
    Not a clock that ran ahead, nor when somebody looked.
    """
    made = pending(0, 10)
    list(made.overdue(9 * PENDING_MS))

    assert [10] == [each.ms for each in made.take(b"i", PENDING_MS + 1)]


def test_what_no_impression_can_take_is_forgotten() -> None:
    """
    As the stream goes on.
    """
    made = pending(0, 10)
    made.forget(PENDING_MS + 1)

    assert [10] == [each.ms for each in made.take(b"i", 0)]
