"""Engines and models that behave, for the logic between them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from proxy.backends import Document, Found, Question, Vector, Wanted
from proxy.legs import Leg
from proxy.model import RankedList
from proxy.rerankers import Reranker
from proxy.retrieval import Clients


def ranked(ids: str) -> RankedList:
    """`"a b c"` with scores 3, 2, 1."""
    names = tuple(ids.split())
    return RankedList(names, tuple(float(len(names) - at) for at in range(len(names))))


@dataclass
class FakeBackend:
    """Answers a leg by its index: ids ("a b c", scored 3, 2, 1) or a list, late or with an error.

    `asked` and `cancelled` are the indices that were asked, and those whose search was cut off.
    """

    answers: Mapping[str, str | RankedList]
    delays: Mapping[str, float] = field(default_factory=dict)
    errors: Mapping[str, Exception] = field(default_factory=dict)
    stored: Mapping[str, Sequence[float]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)

    async def search(self, leg: Leg, question: Question) -> Found:
        self.asked.append(leg.index)
        self.questions.append(question)
        try:
            await asyncio.sleep(self.delays.get(leg.index, 0))
        except asyncio.CancelledError:
            self.cancelled.append(leg.index)
            raise
        if leg.index in self.errors:
            raise self.errors[leg.index]
        answer = self.answers[leg.index]
        found = ranked(answer) if isinstance(answer, str) else answer
        return Found(found, 10 * len(found))

    async def count(self, leg: Leg, question: Question) -> Found:
        return replace(await self.search(leg, question), ranked=RankedList())

    async def fetch(self, index: str, ids: Sequence[str], wanted: Wanted) -> Mapping[str, Document]:
        return dict.fromkeys(ids, Document(b"{}"))

    async def vectors(self, index: str, field: str, ids: Sequence[str]) -> Mapping[str, Vector]:
        await asyncio.sleep(self.delays.get("vectors", 0))
        if "vectors" in self.errors:
            raise self.errors["vectors"]
        return {doc: np.float32(self.stored[doc]) for doc in ids if doc in self.stored}

    def index_version(self, index: str) -> str:
        return "1"


@dataclass
class FakeEmbedder:
    """Makes one vector, late or with an error, and notes the texts."""

    vector: Sequence[float] = (1.0, 0.0)
    delay: float = 0.0
    error: Exception | None = None
    texts: list[str] = field(default_factory=list)

    async def embed(self, text: str) -> Vector:
        self.texts.append(text)
        await asyncio.sleep(self.delay)
        if self.error is not None:
            raise self.error
        return np.float32(self.vector)


def clients(
    backend: FakeBackend,
    embedder: FakeEmbedder | None = None,
    rerankers: Mapping[str, Reranker] | None = None,
) -> Clients:
    """One backend `main`, one embedder `mini`."""
    return Clients({"main": backend}, {"mini": embedder or FakeEmbedder()}, rerankers or {})
