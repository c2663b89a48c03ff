"""The models that were asked for one request, and which of its pipelines needed them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Hashable, Iterable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, TypeVar

from proxy.errors import BackendError, BackendRefused, BackendTimeout, NotAsked


class Run(Protocol):
    """Work that ended: its outcome is a value, a `BackendError` too."""

    @property
    def outcome(self) -> object:
        """What came, or why nothing did."""
        ...


R = TypeVar("R", bound=Run)
Kind: TypeAlias = Literal["embedder", "reranker"]
CallOutcome: TypeAlias = Literal["ok", "error", "timeout", "refused", "cancelled"]
"""How a call ended; `cancelled`: whoever waited for it gave up first."""


@dataclass(frozen=True, slots=True)
class Call:
    """A model that was really asked, by which part and over how many documents (or texts).

    What was remembered, and what was never sent, is no call.
    """

    kind: Kind
    part: str
    documents: int
    outcome: CallOutcome


class Calls:
    """The calls of one request, as they end. A call is needed by each pipeline that uses its
    outcome, whichever made it.
    """

    def __init__(self) -> None:
        self._ended: list[tuple[Hashable, Call]] = []
        self._judging: dict[str, Hashable] = {}

    def __len__(self) -> int:
        return len(self._ended)

    def judges(self, pipeline: str, key: Hashable) -> None:
        """The pipeline's rerank uses what is judged under this key."""
        self._judging[pipeline] = key

    def needed_by(self, pipeline: str, embedders: Iterable[str]) -> list[Call]:
        """The calls that a pipeline with these embedders needed."""
        keys = {*embedders, self._judging.get(pipeline)}
        return [call for key, call in self._ended if key in keys]

    async def embedding(self, embedder: str, work: Awaitable[R]) -> R:
        """Await `work`, which asks an embedder for the query's vector, and note how that ended."""
        return await self._noted(embedder, "embedder", embedder, 1, work)

    async def judging(self, key: Hashable, reranker: str, documents: int, work: Awaitable[R]) -> R:
        """Await `work`, which asks a reranker for so many documents, and note how that ended."""
        return await self._noted(key, "reranker", reranker, documents, work)

    async def _noted(
        self, key: Hashable, kind: Kind, part: str, documents: int, work: Awaitable[R]
    ) -> R:
        ended: CallOutcome | None = "error"
        try:
            run = await work
            ended = _ended(run.outcome)
        except asyncio.CancelledError:
            ended = "cancelled"
            raise
        finally:
            if ended is not None:
                self._ended.append((key, Call(kind, part, documents, ended)))
        return run


def _ended(outcome: object) -> CallOutcome | None:
    """How the call ended that had this outcome; None if there was no call."""
    match outcome:
        case NotAsked():
            return None
        case BackendTimeout():
            return "timeout"
        case BackendRefused():
            return "refused"
        case BackendError():
            return "error"
    return "ok"
