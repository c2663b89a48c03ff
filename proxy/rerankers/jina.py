"""The jina reranker: Jina's `/v1/rerank`, which vLLM, Infinity and others speak as well."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import ClassVar

import msgspec

from proxy.models import service
from proxy.rerankers.judge import Ask
from proxy.rerankers.remote import RemoteReranker


class Result(msgspec.Struct):
    """A document's place in what was sent, and its score."""

    index: int
    relevance_score: float


class Results(msgspec.Struct):
    """What the service answers."""

    results: list[Result]


@dataclass(frozen=True, slots=True, kw_only=True)
class Jina(RemoteReranker):
    """A model of Jina's, billed by tokens, or another of that shape, which may want no key."""

    kind: ClassVar[str] = "jina"

    api_key_env: str | None
    url: str = "https://api.jina.ai/v1"
    model: str = "jina-reranker-v2-base-multilingual"
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
                    "top_n": len(documents),
                    "return_documents": False,
                }
                answer = await open_service.post("/rerank", question, Results)
                return [(each.index, each.relevance_score) for each in answer.results]

            yield ask
