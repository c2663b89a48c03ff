"""What clients are told when all is well: pages, with their documents spliced in as they are."""

from __future__ import annotations

from typing import Final, Literal

import msgspec
from msgspec import UNSET

from proxy.answer import Degraded
from proxy.backends import Document
from proxy.intake import Received, Refused
from proxy.served import Served
from proxy.wire.facets import Told, told

NULL: Final = msgspec.Raw(b"null")
_encoder = msgspec.json.Encoder()


class _Hit(msgspec.Struct, frozen=True, gc=False):
    id: str
    rank: int
    score: float | None
    source: msgspec.Raw
    highlight: msgspec.Raw | msgspec.UnsetType


class _Page(msgspec.Struct, frozen=True):
    query_id: str | None
    hits: list[_Hit]
    total: int | None
    total_relation: Literal["eq", "gte"] | msgspec.UnsetType
    facets: Told | msgspec.UnsetType | None
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
    listed, query, answer = served.page, served.query, served.answer
    marked = query.highlight is not None
    hits = [
        _hit(doc_id, rank, score, served.documents.get(doc_id), marked)
        for rank, (doc_id, score) in enumerate(
            zip(listed.ids, listed.scores, strict=True), query.offset + 1
        )
    ]
    return _encoder.encode(
        _Page(
            query.id if served.logged else None,
            hits,
            answer.total,
            UNSET if answer.total is None else "gte" if answer.at_least else "eq",
            _facets(answer.facets) if query.counting.facets else UNSET,
            answer.degraded,
            round(1000 * seconds, 3),
        )
    )


def received(outcome: Received) -> bytes:
    """What became of events."""
    refused = [_refused(refused) for refused in outcome.refused]
    return _encoder.encode(_Events(outcome.accepted, refused))


def _refused(refused: Refused) -> _Refused:
    return _Refused(refused.index, refused.reason, refused.field, refused.message)


def _hit(
    doc_id: str, rank: int, score: float | None, document: Document | None, marked: bool
) -> _Hit:
    source = None if document is None else document.source
    highlight = None if document is None else document.highlight
    return _Hit(doc_id, rank, score, _raw(source), _raw(highlight) if marked else UNSET)


def _raw(json: bytes | None) -> msgspec.Raw:
    return NULL if json is None else msgspec.Raw(json)


def _facets(aggregations: bytes | None) -> Told | None:
    return None if aggregations is None else told(aggregations)
