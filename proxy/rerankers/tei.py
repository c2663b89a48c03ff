"""The tei reranker: Hugging Face's Text Embeddings Inference, `/rerank`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import ClassVar

import msgspec

from proxy.errors import BackendError
from proxy.models import service
from proxy.models.recipe import within
from proxy.models.service import Service
from proxy.rerankers.judge import Ask
from proxy.rerankers.remote import RemoteReranker


class Rank(msgspec.Struct):
    """A document's place in what was sent, and its score."""

    index: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Tei(RemoteReranker):
    """A server of one cross-encoder, bge or the like; `model` says which, since requests don't.

    It refuses more texts a call than its `--max-client-batch-size`, which is 32 unless set: a
    longer list goes in several calls at once, whose raw scores compare.
    """

    kind: ClassVar[str] = "tei"
    outside: ClassVar[bool] = False

    timeout_ms: int = 250
    batch: int = 32

    def __post_init__(self) -> None:
        RemoteReranker.__post_init__(self)
        within("batch", self.batch, 1, 1_000)

    @asynccontextmanager
    async def asking(self, where: str) -> AsyncIterator[Ask]:
        """The server's own endpoint."""
        async with service.opened(self.access(where)) as open_service:

            async def ask(query: str, documents: Sequence[str]) -> Sequence[tuple[int, float]]:
                starts = range(0, len(documents), self.batch)
                parts = [documents[start : start + self.batch] for start in starts]
                ranks = await _all_ranks(open_service, query, parts)
                return [
                    # What isn't of its part is of no document: below 0, or past the end.
                    (start + rank.index if 0 <= rank.index < len(part) else -1, rank.score)
                    for start, part, ranked in zip(starts, parts, ranks, strict=True)
                    for rank in ranked
                ]

            yield ask


async def _all_ranks(
    open_service: Service, query: str, parts: Sequence[Sequence[str]]
) -> Sequence[Sequence[Rank]]:
    """Every part's ranks; the first part that fails ends the others."""
    failure: BackendError | None = None
    try:
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(_ranks(open_service, query, part)) for part in parts]
    except* BackendError as failures:
        failure = next(each for each in failures.exceptions if isinstance(each, BackendError))
    if failure is not None:
        raise failure
    return [task.result() for task in asked]


async def _ranks(open_service: Service, query: str, texts: Sequence[str]) -> Sequence[Rank]:
    question = {"query": query, "texts": texts, "raw_scores": True, "truncate": True}
    return await open_service.post("/rerank", question, list[Rank])
