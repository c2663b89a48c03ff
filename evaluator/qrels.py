"""Proxy qrels: per query key, what was shown and clicked; no exported mean comes of them."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from evaluator.grading import SATISFIED, Grades
from evaluator.open_impressions import Change

log = logging.getLogger(__name__)

KEEP_MS: Final = 28 * 24 * 3600 * 1000
"""A query that wasn't seen for that long is forgotten."""
MAX_KEYS: Final = 100_000
"""Query keys of a route; beyond, the least recent go, and are counted."""
MAX_DOCUMENTS: Final = 200
"""Documents of a query key; beyond, the least recent go."""


class Document(msgspec.Struct, array_like=True):
    """What happened to a document under one query: `ranks[r - 1]` times it was shown at rank r.

    `last` is when it was last shown, in milliseconds.
    """

    last: int = 0
    clicks: int = 0
    satisfied: int = 0
    ranks: list[int] = []


class Judged(NamedTuple):
    """A query key's documents as stored, and when it was last seen (milliseconds)."""

    raw: bytes
    last: int


_codec = msgspec.msgpack.Decoder(dict[str, Document])


def read(raw: bytes | None) -> dict[str, Document]:
    """The documents of a query key, by id; none where nothing (or nothing readable) is stored."""
    if raw is None:
        return {}
    try:
        return _codec.decode(raw)
    except msgspec.MsgspecError:
        log.warning("qrels unreadable, begun anew")
        return {}


def by_query(changes: Iterable[Change]) -> dict[bytes, list[Change]]:
    """The changes of each query key."""
    grouped: dict[bytes, list[Change]] = defaultdict(list)
    for change in changes:
        if change.before != change.after:
            grouped[change.impression.query_key].append(change)
    return dict(grouped)


def judged(
    stored: Mapping[bytes, bytes | None], changes: Mapping[bytes, Sequence[Change]]
) -> dict[bytes, Judged]:
    """What to store for the query keys of `changes`, given what is stored."""
    return {key: _merged(read(stored.get(key)), changed) for key, changed in changes.items()}


def _merged(documents: dict[str, Document], changes: Sequence[Change]) -> Judged:
    """`documents` are freshly read, so they may change in place."""
    last = max(document.last for document in documents.values()) if documents else 0
    for change in changes:
        last = max(last, change.ms)
        shown = change.impression
        if change.before is None:
            page = shown.list[shown.offset : shown.offset + shown.size]
            for rank, doc in enumerate(page, shown.offset + 1):
                _show(documents.setdefault(doc, Document()), rank, change.ms)
        _grade(documents, shown.list, change.before or (), -1)
        _grade(documents, shown.list, change.after, 1)
    if len(documents) > MAX_DOCUMENTS:
        recent = sorted(documents.items(), key=lambda item: (-item[1].last, item[0]))
        documents = dict(recent[:MAX_DOCUMENTS])
    return Judged(msgspec.msgpack.encode(documents), last)


def _show(document: Document, rank: int, ms: int) -> None:
    ranks = document.ranks
    if len(ranks) < rank:
        ranks.extend([0] * (rank - len(ranks)))
    ranks[rank - 1] += 1
    document.last = max(document.last, ms)


def _grade(
    documents: Mapping[str, Document], listed: Sequence[str], grades: Grades, sign: int
) -> None:
    for rank, grade in grades:
        if document := documents.get(listed[rank - 1]):
            document.clicks += sign
            document.satisfied += sign * (grade == SATISFIED)
