"""What the rerankers behind HTTP share: options, and a judge of their own for each role."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Final

from proxy.legs import Leg
from proxy.model import Role
from proxy.models.recipe import UNVERSIONED, Remote, within
from proxy.rerankers import Reranker
from proxy.rerankers.judge import Ask, Judge

DEEPEST: Final = 1_000
"""Documents that a model may be asked to judge at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteReranker(Remote, ABC):
    """The first `top` candidates judged by a service that reads their fields `text`."""

    text: tuple[str, ...]
    top: int = 100

    def __post_init__(self) -> None:
        Remote.__post_init__(self)
        check(self.text, self.top)

    def unversioned(self) -> frozenset[str]:
        """The options that `identity` leaves out; a version counts `top` and `text` by itself."""
        return UNVERSIONED | {"top", "text", "batch"}

    @property
    def reads(self) -> Sequence[Leg]:
        """Documents' texts, which no leg reads."""
        return ()

    def units(self, documents: int) -> int:
        """The documents."""
        return documents

    @abstractmethod
    def asking(self, where: str) -> AbstractAsyncContextManager[Ask]:
        """The service, open."""

    @asynccontextmanager
    async def open(self, name: str, role: Role) -> AsyncIterator[Reranker]:
        """A client of its own; reads the key. Raises ConfigError where there is none."""
        async with self.asking(f"reranker {name!r}") as ask:
            yield Judge(ask, self.top, self.timeout_ms, self.text, self.max_characters)


def check(text: tuple[str, ...], top: int) -> None:
    """Raises ValueError about the field that is wrong."""
    within("top", top, 1, DEEPEST)
    if not text or not all(text):
        raise ValueError("text: needs the name of at least one field, and no empty one")
