"""What clients are told when all is well: pages, with their documents spliced in as they are."""

from __future__ import annotations

from typing import Final

import msgspec

from proxy.backends import Document
from proxy.intake import Received, Refused
from proxy.model import Degraded
from proxy.served import Served

NULL: Final = msgspec.Raw(b"null")
_encoder = msgspec.json.Encoder()


class _Hit(msgspec.Struct, frozen=True, gc=False):
    id: str
    rank: int
    score: float | None
    source: msgspec.Raw


class _Page(msgspec.Struct, frozen=True):
    query_id: str | None
    hits: list[_Hit]
    total: int | None
    degraded: tuple[Degraded, ...]
    took_ms: float


class _Refused(msgspec.Struct, frozen=True, omit_defaults=True):
    index: int
    reason: str
    field: str | None = None
    message: str | None = None


class _Events(msgspec.Struct, frozen=True):
    accepted: int
    refused: list[_Refused]


def page(served: Served, seconds: float) -> bytes:
    """A served page. A document that is gone since it was ranked has a null source; without an
    impression there is no query id, since no event can be about it.
    """
    listed = served.page
    hits = [
        _Hit(doc_id, rank, score, _source(served.documents.get(doc_id)))
        for rank, (doc_id, score) in enumerate(
            zip(listed.ids, listed.scores, strict=True), served.query.offset + 1
        )
    ]
    query_id = served.query.id if served.logged else None
    answer = served.answer
    return _encoder.encode(
        _Page(query_id, hits, answer.total, answer.degraded, round(1000 * seconds, 3))
    )


def received(outcome: Received) -> bytes:
    """What became of events."""
    refused = [_refused(refused) for refused in outcome.refused]
    return _encoder.encode(_Events(outcome.accepted, refused))


def _refused(refused: Refused) -> _Refused:
    return _Refused(refused.index, refused.reason, refused.field, refused.message)


def _source(document: Document | None) -> msgspec.Raw:
    source = None if document is None else document.source
    return NULL if source is None else msgspec.Raw(source)
