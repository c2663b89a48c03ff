"""The cohere reranker: Cohere's `rerank`, by its own SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

from proxy.rerankers.judge import Ask
from proxy.rerankers.remote import RemoteReranker

UNIT: Final = 100
"""Documents that one search unit pays for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cohere(RemoteReranker):
    """A model of rerank-v3.5 or later.

    Cohere splits documents of more than 500 tokens and bills each part as a document, wherefore
    `max_characters` is what usually fits beside a query.
    """

    kind: ClassVar[str] = "cohere"

    api_key_env: str | None
    url: str = "https://api.cohere.com"
    model: str = "rerank-v3.5"
    top: int = 200
    max_characters: int = 1_500

    def units(self, documents: int) -> int:
        """Search units: one for every 100 documents begun."""
        return -(-documents // UNIT)

    @asynccontextmanager
    async def asking(self, where: str) -> AsyncIterator[Ask]:
        """Cohere's client."""
        from proxy.models import cohere_sdk  # .4 s and 40 MB, only for those who use it

        async with cohere_sdk.opened(self.access(where)) as client:
            yield partial(client.rerank, self.model)
