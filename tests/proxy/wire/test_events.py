from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.errors import BadRequest
from proxy.metrics import EVENT_TYPES
from proxy.wire.events import Told, from_body, told, type_of

CLICK = {"event_id": "e1", "query_id": "q1", "type": "click", "doc_id": "d1"}


def test_a_body_is_one_event_or_a_list():
    """
    Both are read as a list, unjudged.
    """
    assert [CLICK] == from_body(json.dumps(CLICK).encode())
    assert [1, None] == from_body(b"[1, null]")


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", json.dumps([1] * 101).encode()])
def test_a_body_without_events_to_be_had(raw: bytes):
    """
    Not JSON, none, or more than a hundred.
    """
    with pytest.raises(BadRequest):
        from_body(raw)


def test_an_event_in_order():
    """
    Every key is read.
    """
    beat = {**CLICK, "type": "beat", "position": 3, "dwell_ms": 0, "at": 1_700_000_000_000}

    assert Told("e1", "q1", "beat", "d1", 3, 0, 1_700_000_000_000) == told(beat)


@pytest.mark.parametrize("kind", ["seen", "conversion"])
def test_some_types_need_no_document(kind: str):
    """
    A page is seen and a visit converts as a whole.
    """
    assert None is told({"event_id": "e", "query_id": "q", "type": kind}).doc_id


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"event_id": None}, "event_id"),
        ({"event_id": ""}, "event_id"),
        ({"event_id": "e" * 101}, "event_id"),
        ({"event_id": 1}, "event_id"),
        ({"query_id": None}, "query_id"),
        ({"query_id": 5}, "query_id"),
        ({"type": None}, "type"),
        ({"type": "tap"}, "type"),
        ({"type": ["click"]}, "type"),
        ({"doc_id": None}, "doc_id"),
        ({"doc_id": ""}, "doc_id"),
        ({"doc_id": "d" * 513}, "doc_id"),
        ({"doc_id": "a\0"}, "doc_id"),
        ({"position": 0}, "position"),
        ({"position": 101}, "position"),
        ({"position": 1.0}, "position"),
        ({"position": True}, "position"),
        ({"dwell_ms": 5}, "dwell_ms"),
        ({"type": "hide", "dwell_ms": -1}, "dwell_ms"),
        ({"type": "hide", "dwell_ms": 0.5}, "dwell_ms"),
        ({"type": "seen", "doc_id": None, "position": 1}, "position"),
        ({"at": "now"}, "at"),
        ({"at": -1}, "at"),
        ({"weight": 5}, "weight"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], field: str):
    """
    The first wrong key of an event is named.
    """
    with pytest.raises(BadRequest) as caught:
        told({**CLICK, **change})

    assert field == caught.value.field


@given(st.recursive(st.none() | st.integers() | st.text(), lambda x: st.dictionaries(st.text(), x)))
def test_a_type_is_one_of_a_closed_set(event: object):
    """
    What becomes a label never comes from outside.
    """
    assert type_of(event) in EVENT_TYPES
    assert type_of({"type": event}) in EVENT_TYPES
