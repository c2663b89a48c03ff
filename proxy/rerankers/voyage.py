"""The voyage reranker: Voyage AI's `/v1/rerank`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import ClassVar

import msgspec

from proxy.models import service
from proxy.rerankers.jina import Result
from proxy.rerankers.judge import Ask
from proxy.rerankers.remote import RemoteReranker


class Results(msgspec.Struct):
    """What the service answers: Jina's shape under another name."""

    data: list[Result]


@dataclass(frozen=True, slots=True, kw_only=True)
class Voyage(RemoteReranker):
    """A model of Voyage's, which is billed by tokens and cuts documents to its budget itself."""

    kind: ClassVar[str] = "voyage"

    api_key_env: str
    url: str = "https://api.voyageai.com/v1"
    model: str = "rerank-2.5"
    max_characters: int = 4_000

    @asynccontextmanager
    async def asking(self, where: str) -> AsyncIterator[Ask]:
        """The endpoint below `url`."""
        async with service.opened(self.access(where)) as open_service:

            async def ask(query: str, documents: Sequence[str]) -> Sequence[tuple[int, float]]:
                question = {
                    "model": self.model,
                    "query": query,
                    "documents": documents,
                    "top_k": len(documents),
                    "return_documents": False,
                    "truncation": True,
                }
                answer = await open_service.post("/rerank", question, Results)
                return [(each.index, each.relevance_score) for each in answer.data]

            yield ask
