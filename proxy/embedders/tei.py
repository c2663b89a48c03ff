"""The tei embedder: Hugging Face's Text Embeddings Inference, `/embed`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import ClassVar

from proxy.embedders.remote import Ask, RemoteEmbedder
from proxy.embedders.vectors import Row
from proxy.models import service

Embeddings = list[list[float]]
"""What the server answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tei(RemoteEmbedder):
    """A server of one model; `model` says which, since requests don't.

    It refuses more texts a call than its `--max-client-batch-size`, which is 32 unless set, and
    cuts a text to its model's budget.
    """

    kind: ClassVar[str] = "tei"
    outside: ClassVar[bool] = False

    normalize: bool = True

    @asynccontextmanager
    async def asking(self, where: str) -> AsyncIterator[Ask]:
        """The server's own endpoint."""
        asked: dict[str, object] = {"normalize": self.normalize, "truncate": True}
        if self.shorten:
            asked["dimensions"] = self.dimension
        async with service.opened(self.access(where)) as open_service:

            async def ask(texts: Sequence[str]) -> Sequence[Row]:
                return await open_service.post("/embed", {**asked, "inputs": texts}, Embeddings)

            yield ask
