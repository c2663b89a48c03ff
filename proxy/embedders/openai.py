"""The openai embedder: OpenAI's `/v1/embeddings`, as many servers besides OpenAI's speak it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import ClassVar, Literal

import msgspec

from proxy.embedders.remote import Ask, RemoteEmbedder
from proxy.embedders.vectors import Row
from proxy.errors import BackendError
from proxy.models import service


class Embedded(msgspec.Struct):
    """One vector: its numbers, or base64 of them; some servers ignore what was asked for."""

    index: int
    embedding: list[float] | str


class Embeddings(msgspec.Struct):
    """What the service answers."""

    data: list[Embedded]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAI(RemoteEmbedder):
    """Any OpenAI-compatible endpoint. In base64 an answer is shorter and sooner read."""

    kind: ClassVar[str] = "openai"

    url: str = "https://api.openai.com/v1"
    encoding: Literal["base64", "float"] = "base64"

    @asynccontextmanager
    async def asking(self, where: str) -> AsyncIterator[Ask]:
        """The endpoint below `url`."""
        asked: dict[str, object] = {"model": self.model, "encoding_format": self.encoding}
        if self.shorten:
            asked["dimensions"] = self.dimension
        async with service.opened(self.access(where)) as open_service:

            async def ask(texts: Sequence[str]) -> Sequence[Row]:
                question = {**asked, "input": texts}
                answer = await open_service.post("/embeddings", question, Embeddings)
                if [each.index for each in answer.data] != list(range(len(answer.data))):
                    raise BackendError("vectors out of order")
                return [each.embedding for each in answer.data]

            yield ask
