"""Answers of a cluster to what a backend returns.

A reader takes bytes, a struct of `answers`, or the plain value that a client made of the JSON.
What isn't documented raises BackendError: it is the engine's failure, and its leg is degraded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import msgspec
import numpy as np

from proxy.backends import Document, Found, Vector
from proxy.backends.cluster.answers import MGET, SEARCH, MgetAnswer, SearchAnswer
from proxy.backends.cluster.requests.target import Reach
from proxy.errors import BackendError
from proxy.model import RankedList

Answered = TypeVar("Answered", SearchAnswer, MgetAnswer)


def read_search(answer: object, reach: Reach) -> Found:
    """Ids and scores, best first, equal scores by id; and what was counted beside.

    Which of several equally scored documents stand in the last places is the engine's choice: it
    cuts its list before it is sorted here.
    """
    found = _read(answer, SearchAnswer, SEARCH)
    hits = found.hits.hits
    names = [hit.id or "" for hit in hits]
    scores = [hit.score for hit in hits]
    total = found.hits.total
    return Found(
        RankedList(tuple(names), tuple(scores)),  # type: ignore[arg-type]
        total=None if total is None else total.value,
        at_least=total is not None and total.relation == "gte",
        facets=bytes(found.aggregations) if found.aggregations is not msgspec.UNSET else None,
        partial=found.timed_out or found.shards.failed > 0,
    )


def read_fetch(answer: object, reach: Reach) -> Mapping[str, Document]:
    """Documents by id, from an `_mget` or a search."""
    found = _read(answer, MgetAnswer, MGET)
    return {
        doc.id: Document(
            bytes(doc.source) if doc.source is not msgspec.UNSET else None, index=doc.index
        )
        for doc in found.docs
        if doc.found
    }


def read_vectors(answer: object, reach: Reach, field: str) -> Mapping[str, Vector]:
    """Stored vectors by id."""
    found = _read(answer, MgetAnswer, MGET)
    return {
        doc.id: np.array(msgspec.json.decode(doc.source)[field], np.float32)
        for doc in found.docs
        if doc.found and doc.source is not msgspec.UNSET
    }


def _read(
    answer: object, kind: type[Answered], decoder: msgspec.json.Decoder[Answered]
) -> Answered:
    if isinstance(answer, kind):
        return answer
    try:
        encoded = answer if isinstance(answer, bytes) else msgspec.json.encode(answer)
        return decoder.decode(encoded)
    except msgspec.MsgspecError as exc:
        raise BackendError(f"the engine's answer is not as documented: {exc}") from exc
