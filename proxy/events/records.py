"""The records of the event log and their codec (msgpack maps; unknown fields are ignored).

Times are milliseconds since the epoch, durations milliseconds, lists document ids from rank 1.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

VERSION: Final = 1

ShadowStatus: TypeAlias = Literal["ok", "timeout", "error", "dropped"]


class Impression(msgspec.Struct, frozen=True, tag_field="k", tag="i", omit_defaults=True, gc=False):
    """One served page, written when the answer leaves. `id` is the query id's 16 random bytes.

    `list` holds the ids from rank 1 to max(10, from + size), at most 100, above the page, too.
    `took` is the pipeline's latency as live (embedding, slowest leg, fusion, rerank).
    """

    id: bytes
    time: int
    query_key: bytes
    route: str
    pipeline: str
    version: str
    index_version: str
    size: int
    list: tuple[str, ...]
    took: float
    offset: int = 0
    total: int | None = None
    user: bytes | None = None
    session: bytes | None = None
    sampled: tuple[str, ...] = ()
    degraded: tuple[tuple[str, str], ...] = ()
    stages: tuple[tuple[str, float], ...] = ()
    text: str | None = None
    v: int = VERSION


class ShadowResult(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """What one sampled shadow made of an impression. `own_legs` ran for shadows only."""

    pipeline: str
    version: str
    status: ShadowStatus
    list: tuple[str, ...] = ()
    took: float | None = None
    reason: str | None = None
    degraded: tuple[tuple[str, str], ...] = ()
    stages: tuple[tuple[str, float], ...] = ()
    own_legs: tuple[str, ...] = ()


class Shadows(msgspec.Struct, frozen=True, tag_field="k", tag="s", omit_defaults=True, gc=False):
    """What the sampled shadows made of one impression; one at most, also when none could run."""

    id: bytes
    time: int
    results: tuple[ShadowResult, ...]
    v: int = VERSION


class Event(msgspec.Struct, frozen=True, tag_field="k", tag="e", omit_defaults=True, gc=False):
    """Something a user did, as received. `id` is the impression's, `position` absolute from 1."""

    id: bytes
    event_id: str
    type: Literal["seen", "click", "beat", "hide", "back", "conversion"]
    received: int
    doc_id: str | None = None
    position: int | None = None
    dwell_ms: int | None = None
    at: int | None = None
    v: int = VERSION


Record: TypeAlias = Impression | Shadows | Event

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Record)


def encode(record: Record) -> bytes:
    """The record as it is stored."""
    return _encoder.encode(record)


def decode(raw: bytes) -> Record:
    """The stored record; raises `msgspec.MsgspecError` for what is none (or is damaged)."""
    return _decoder.decode(raw)
