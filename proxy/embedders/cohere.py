"""The cohere embedder: Cohere's `embed`, by its own SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import ClassVar, Literal

from proxy.embedders.remote import Ask, RemoteEmbedder
from proxy.embedders.vectors import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Cohere(RemoteEmbedder):
    """A model that knows queries from documents by itself, so it needs no prefix."""

    kind: ClassVar[str] = "cohere"
    largest_batch: ClassVar[int] = 96

    api_key_env: str | None
    url: str = "https://api.cohere.com"
    model: str = "embed-v4.0"
    encoding: Literal["base64", "float"] = "base64"

    @asynccontextmanager
    async def asking(self, where: str) -> AsyncIterator[Ask]:
        """Cohere's client, for queries."""
        from proxy.models import cohere_sdk  # .4 s and 40 MB, only for those who use it

        shape = self.dimension if self.shorten else None
        async with cohere_sdk.opened(self.access(where)) as client:

            async def ask(texts: Sequence[str]) -> Sequence[Row]:
                return await client.embed(self.model, texts, self.encoding, shape)

            yield ask
