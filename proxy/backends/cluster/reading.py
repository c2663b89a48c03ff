"""Answers of a cluster to what a backend returns.

A reader takes bytes, a struct of `answers`, or the plain value that a client made of the JSON.
What isn't documented raises BackendError: it is the engine's failure, and its leg is degraded.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Final, TypeAlias

import msgspec
import numpy as np

from proxy.backends import Document, Found, Vector
from proxy.backends.cluster.answers import (
    DocValue,
    MgetAnswer,
    MgetDocument,
    SearchAnswer,
    SearchHit,
)
from proxy.backends.cluster.decoding import answered
from proxy.backends.cluster.ids import joined
from proxy.backends.cluster.requests.target import Reach
from proxy.errors import BackendError, BackendTimeout
from proxy.model import RankedList

Scores: TypeAlias = list[float | None]

GONE: Final = "index_not_found_exception"
"""The problem of a document whose index is no more; with any other it may still be there."""


def read_search(answer: object, reach: Reach) -> Found:
    """Ids and scores, best first, equal scores by id; and what was counted beside.

    Scores that aren't finite stay: fusions know what to do with them. Where a list is cut amid
    equal scores it was the engine that chose, by shard and by age, which of them are in it. A hit
    that has nothing in `id_field` is left out, and then the list is partial.
    """
    found = _search(answer)
    hits, total = found.hits.hits, found.hits.total
    names = _names(hits, reach)
    return Found(
        _ranked(names, _scores(hits)),
        total=None if total is None else total.value,
        at_least=total is not None and total.relation != "eq",
        facets=bytes(found.aggregations) or None,
        partial=found.partial or "" in names,
    )


def read_fetch(answer: object, reach: Reach, asked: int) -> Mapping[str, Document]:
    """The documents by id, of the `asked` that there may be; those that are gone are left out.

    Raises BackendError where it isn't known whether a missing one is gone.
    """
    found = answered(answer)
    if isinstance(found, MgetAnswer):
        return {
            _name(reach, doc.index, doc.id): Document(_present(doc.source), None, doc.index)
            for doc in _there(found)
        }
    missing = asked - len(found.hits.hits)
    if found.partial and missing > 0:
        told = f"{missing} of {asked} documents are missing"
        raise BackendTimeout(told) if found.timed_out else BackendError(told)
    return {
        _name(reach, hit.index, hit.id or ""): Document(
            _present(hit.source), _present(hit.highlight), hit.index
        )
        for hit in found.hits.hits
    }


def read_vectors(answer: object, reach: Reach, field: str) -> Mapping[str, Vector]:
    """The stored vectors by id; a document without one is left out."""
    found = answered(answer)
    there = _there(found) if isinstance(found, MgetAnswer) else found.hits.hits
    stored = {
        _name(reach, each.index, each.id or ""): _at(msgspec.json.decode(each.source), field)
        for each in there
        if each.source
    }
    return {name: _vector(field, value) for name, value in stored.items() if value is not None}


def _search(answer: object) -> SearchAnswer:
    found = answered(answer)
    if isinstance(found, MgetAnswer):
        raise BackendError("the engine's answer is not as documented: documents, and no hits")
    return found


def _names(hits: list[SearchHit], reach: Reach) -> list[str]:
    """What the hits' documents are called; empty for one that doesn't say."""
    copy = reach.id_field
    if copy is None:
        names = [hit.id or "" for hit in hits]
    else:
        names = [_first(hit.fields.get(copy)) for hit in hits]
    if not reach.several:
        return names
    return joined([hit.index for hit in hits], names)


def _first(values: list[DocValue] | None) -> str:
    return str(values[0]) if values else ""


def _name(reach: Reach, index: str, own: str) -> str:
    return joined((index,), (own,))[0] if reach.several else own


def _scores(hits: list[SearchHit]) -> Scores:
    return [hit.score if not isinstance(hit.score, str) else _infinite(hit.score) for hit in hits]


def _infinite(score: str) -> float:
    try:
        return float(score)
    except ValueError:
        raise BackendError("the engine's answer is not as documented: a score is text") from None


def _ranked(names: list[str], scores: Scores) -> RankedList:
    """Each document once, equal scores by id. Mostly nothing has to move."""
    if len(set(names)) < len(names) or "" in names:
        names, scores = _once(names, scores)
    if len(set(scores)) < len(scores):
        names = _ties_by_id(names, scores)
    return RankedList(tuple(names), tuple(scores))


def _once(names: list[str], scores: Scores) -> tuple[list[str], Scores]:
    """The first hit of each document that has a name."""
    first: dict[str, float | None] = {}
    for name, score in zip(names, scores, strict=True):
        if name:
            first.setdefault(name, score)
    return list(first), list(first.values())


def _ties_by_id(names: list[str], scores: Scores) -> list[str]:
    """The names, those of each run of equal scores in order."""
    ordered, start = list(names), 0
    for end, (score, following) in enumerate(pairwise(scores), 1):
        if score != following:
            if end - start > 1:
                ordered[start:end] = sorted(ordered[start:end])
            start = end
    return ordered[:start] + sorted(ordered[start:])


def _there(found: MgetAnswer) -> list[MgetDocument]:
    """The documents that are there. Raises BackendError for one that can't be had now."""
    for doc in found.docs:
        if doc.error is not None and doc.error.type != GONE:
            raise BackendError("a document can't be read now: its shard failed")
    return [doc for doc in found.docs if doc.found]


def _present(json: msgspec.Raw) -> bytes | None:
    return bytes(json) or None


def _at(value: object, path: str) -> object:
    """What stands at a path, whose dots may as well be part of a key."""
    if not isinstance(value, dict):
        return None
    if path in value:
        return value[path]
    head, dot, rest = path.partition(".")
    return _at(value.get(head), rest) if dot else None


def _vector(field: str, value: object) -> Vector:
    try:
        with np.errstate(over="ignore"):
            vector: Vector = np.array(value, np.float32)
    except (TypeError, ValueError, OverflowError) as exc:
        raise BackendError(f"{field!r} of a document is no list of numbers") from exc
    if vector.ndim != 1 or not np.isfinite(vector).all():
        raise BackendError(f"{field!r} of a document is no list of numbers")
    return vector
