"""The open embedded engine: answers legs on threads of its own, documents from memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import lru_cache
from typing import Final, TypeVar

import msgspec
import numpy as np

from proxy.backends import Document, Found, Question, Vector, Wanted
from proxy.backends.embedded import facets, filters
from proxy.backends.embedded.highlights import highlighted
from proxy.backends.embedded.library import OpenIndex
from proxy.backends.embedded.sources import shown
from proxy.backends.embedded.text_index import Ordinals
from proxy.errors import BackendError, BackendRefused
from proxy.legs import Leg
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.model import Filter, RankedList

T = TypeVar("T")

REMEMBERED: Final = 64
"""How many filters keep the set of documents that pass them."""


class Engine:
    """Implements `Backend`. One a role: roles share the immutable indices and no thread.

    A caller that gives up leaves nothing behind: its search ends where it is, or never starts.
    """

    def __init__(self, indices: Mapping[str, OpenIndex], threads: Executor) -> None:
        self._indices = indices
        self._threads = threads
        self._passing = lru_cache(maxsize=REMEMBERED)(self._matching)

    async def search(self, leg: Leg, question: Question) -> Found:
        """The leg's best. What is counted are a lexical leg's matches and what a knn leg found,
        as in Elasticsearch. Raises BackendError."""
        match leg:
            case Lexical():
                return await self._off_loop(lambda: self._lexical(leg, question))
            case Knn():
                return await self._off_loop(lambda: self._knn(leg, question))
            case _:
                raise BackendRefused(f"an embedded index answers no {type(leg).__name__} leg")

    async def count(self, leg: Leg, question: Question) -> Found:
        """What `search` would count, without any document. Raises BackendError."""
        if isinstance(leg, Lexical):
            return await self._off_loop(lambda: self._count(leg, question))
        return replace(await self.search(leg, question), ranked=RankedList())

    async def fetch(self, index: str, ids: Sequence[str], wanted: Wanted) -> Mapping[str, Document]:
        """The documents' JSON. Raises BackendError."""
        held = self._index(index)
        if wanted.filters or wanted.highlight is not None:
            return await self._off_loop(lambda: _fetched(held, ids, wanted))
        # On the loop: slicing memory costs less than a thread's turn.
        return _fetched(held, ids, wanted)

    async def vectors(self, index: str, field: str, ids: Sequence[str]) -> Mapping[str, Vector]:
        """The stored vectors, read-only. Raises BackendRefused where `field` holds none."""
        held = self._index(index)
        if held.vectors is None or field != held.index.vector_field:
            raise BackendRefused(f"index {index!r} has no vectors in {field!r}")
        ordinals, stored = held.collection.ordinals, held.vectors
        return {i: stored.row(ordinals[i]) for i in ids if i in ordinals}

    def index_version(self, index: str) -> str:
        """A hash of the index's content and schema."""
        return self._index(index).version

    def _index(self, name: str) -> OpenIndex:
        if name not in self._indices:
            raise BackendRefused(f"no index {name!r}; there are {', '.join(sorted(self._indices))}")
        return self._indices[name]

    async def _off_loop(self, work: Callable[[], T]) -> T:
        try:
            waiting = asyncio.get_running_loop().run_in_executor(self._threads, work)
        except RuntimeError as exc:
            raise BackendError("the engine is closed") from exc
        return await waiting

    def _lexical(self, leg: Lexical, question: Question) -> Found:
        held = self._index(leg.index)
        asked = (leg, question.text, question.filters)
        ordinals, scores, total = held.collection.text.search(*asked)
        found = _counted(held, question, total, lambda: held.collection.text.matches(*asked))
        return replace(found, ranked=_ranked(held.collection.ids, ordinals, scores))

    def _count(self, leg: Lexical, question: Question) -> Found:
        held = self._index(leg.index)
        text, asked = held.collection.text, (leg, question.text, question.filters)
        return _counted(held, question, text.count(*asked), lambda: text.matches(*asked))

    def _knn(self, leg: Knn, question: Question) -> Found:
        held = self._index(leg.index)
        if held.vectors is None or leg.field != held.index.vector_field:
            raise BackendRefused(f"index {leg.index!r} has no vectors in {leg.field!r}")
        if question.vector is None:
            raise BackendRefused("a knn leg needs a vector")
        # Checked here, not where it is remembered: there 1 and true would be the same value.
        filters.check(dict(held.index.fields), question.filters)
        among = self._passing(leg.index, question.filters) if question.filters else None
        ordinals, scores = held.vectors.nearest(question.vector, leg.window, among)
        found = _counted(held, question, len(ordinals), lambda: np.array(ordinals, np.int64))
        return replace(found, ranked=_ranked(held.collection.ids, ordinals, scores))

    def _matching(self, index: str, given: tuple[Filter, ...]) -> Ordinals:
        return self._index(index).collection.text.matching(given)


def _ranked(ids: Sequence[str], ordinals: list[int], scores: list[float]) -> RankedList:
    return RankedList(tuple(ids[ordinal] for ordinal in ordinals), tuple(scores))


def _counted(
    held: OpenIndex, question: Question, total: int, matches: Callable[[], Ordinals]
) -> Found:
    """What is told of `total` documents: no more than was asked."""
    counting = question.counting
    if counting is None:
        return Found(RankedList())
    made: Mapping[str, object] = {}
    if counting.facets:
        facets.check(dict(held.index.fields), counting.facets)
        kept = held.collection
        made = facets.counted(kept.columns, counting.facets, matches(), len(kept.ids))
    told = min(total, counting.upto) if counting.upto else None
    return Found(
        RankedList(),
        told,
        at_least=told is not None and told < total,
        facets=msgspec.json.encode(made) if counting.facets else None,
        partial=len(made) < len(counting.facets),
    )


def _fetched(held: OpenIndex, ids: Sequence[str], wanted: Wanted) -> Mapping[str, Document]:
    kept, fields = held.collection, dict(held.index.fields)
    found = {i: kept.ordinals[i] for i in ids if i in kept.ordinals}
    if wanted.filters:
        passing = set(kept.text.matching(wanted.filters, list(found.values())).tolist())
        found = {i: ordinal for i, ordinal in found.items() if ordinal in passing}
    documents = {}
    for i, ordinal in found.items():
        source, marked = kept.source(ordinal), None
        if wanted.highlight is not None:
            marked = highlighted(source, fields, wanted.highlight, wanted.leg, wanted.text)
        documents[i] = Document(shown(source, wanted.sources), marked)
    return documents
