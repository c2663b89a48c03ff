"""Tests of proxy.events.records."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.events.records import (
    Event,
    Impression,
    Record,
    ShadowResult,
    Shadows,
    decode,
    encode,
)

IMPRESSION = Impression(
    id=b"0" * 16,
    time=1_700_000_000_000,
    query_key=b"k" * 8,
    route="faq",
    pipeline="rrf60",
    version="00ff",
    index_version="v1",
    size=10,
    list=("a", "b"),
    took=3.5,
)
SHADOWS = Shadows(
    id=b"0" * 16,
    time=1_700_000_000_001,
    results=(
        ShadowResult("bm25", "01", "ok", list=("b",), took=1.0, own_legs=("dense",)),
        ShadowResult("dense", "02", "dropped", reason="full"),
    ),
)
EVENT = Event(id=b"0" * 16, event_id="e1", type="click", received=1_700_000_000_002, doc_id="a")


@pytest.mark.parametrize("record", [IMPRESSION, SHADOWS, EVENT], ids=lambda r: type(r).__name__)
def test_a_record_is_read_as_it_was_written(record: Record) -> None:
    """
    Each kind comes back as itself.
    """

    assert record == decode(encode(record))


NUMBERS = st.integers(0, 2**63 - 1)


@given(
    st.builds(
        Event,
        id=st.binary(min_size=16, max_size=16),
        event_id=st.text(),
        type=st.sampled_from(["seen", "click", "beat", "hide", "back", "conversion"]),
        received=NUMBERS,
        doc_id=st.none() | st.text(),
        position=st.none() | NUMBERS,
        dwell_ms=st.none() | NUMBERS,
        at=st.none() | NUMBERS,
    )
)
def test_any_event_is_read_as_it_was_written(event: Event) -> None:
    """
    Whatever the ids, texts and numbers.
    """

    assert event == decode(encode(event))


def test_unknown_fields_are_ignored() -> None:
    """
    A newer proxy may write what an older evaluator doesn't know.
    """
    raw = msgspec.msgpack.decode(encode(EVENT))

    assert EVENT == decode(msgspec.msgpack.encode({**raw, "new": {"a": [1]}}))


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xc1",
        encode(EVENT)[:-1],
        msgspec.msgpack.encode({"k": "x"}),
        msgspec.msgpack.encode(1),
    ],
)
def test_damage_and_strangers_are_refused(raw: bytes) -> None:
    """
    One exception for a reader to count.
    """
    with pytest.raises(msgspec.MsgspecError):
        decode(raw)


def test_records_are_compact() -> None:
    """
    Defaults are left out: an event takes less than a hundred bytes.
    """

    assert len(encode(EVENT)) < 100
