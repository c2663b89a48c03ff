"""Stream entries, and records of a known kind read again from their bytes."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from proxy.events.records import Impression, ShadowResult, Shadows


class RecordId(NamedTuple):
    """A stream entry's id: they grow along a stream, and `ms` is Redis' clock at the writing."""

    ms: int
    seq: int

    def __str__(self) -> str:
        return f"{self.ms}-{self.seq}"


BEGINNING = RecordId(0, 0)


class Entry(NamedTuple):
    """A stream entry: its id and the record as stored."""

    id: RecordId
    raw: bytes


def record_id(raw: bytes) -> RecordId:
    """The id that Redis writes as `raw`.

    >>> record_id(b"1700000000000-3")
    RecordId(ms=1700000000000, seq=3)
    """
    ms, _, seq = raw.partition(b"-")
    return RecordId(int(ms), int(seq))


_impressions = msgspec.msgpack.Decoder(Impression)
_shadows = msgspec.msgpack.Decoder(Shadows)


def impression_of(raw: bytes) -> Impression:
    """The impression in bytes that are known to hold one."""
    return _impressions.decode(raw)


def results_of(raw: bytes) -> tuple[ShadowResult, ...]:
    """What the shadows made of it, from the bytes of a shadows record."""
    return _shadows.decode(raw).results
