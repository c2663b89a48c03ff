"""Stream ids, and records read again."""

from __future__ import annotations

from evaluator.records import RecordId, impression_of, record_id, results_of
from proxy.events.records import encode
from tests.evaluator.made import impression, result, shadows


def test_an_id_prints_as_redis_writes_it() -> None:
    """
    And is ordered by time, then by sequence.
    """

    assert "1700000000000-3" == str(record_id(b"1700000000000-3"))
    assert RecordId(9, 12) < RecordId(10, 2) < RecordId(10, 11)


def test_records_are_read_again_from_their_bytes() -> None:
    """
    What was read once needs no guess which kind it is.
    """

    assert impression() == impression_of(encode(impression()))
    assert (result(),) == results_of(encode(shadows("i", result())))
