"""What the embedders behind HTTP share: options, batching, memory, checks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias

from proxy.backends import Vector
from proxy.embedders import Embedder
from proxy.embedders.batching import Batcher
from proxy.embedders.lru import Lru
from proxy.embedders.vectors import LONGEST, Row, checked
from proxy.errors import BackendError
from proxy.model import Role
from proxy.models import texts
from proxy.models.recipe import UNVERSIONED, Remote, within

Ask: TypeAlias = Callable[[Sequence[str]], Awaitable[Sequence[Row]]]
"""What a kind of service has of its own: texts to vectors as the service wrote them."""

BESIDE: Final = frozenset({"encoding", "batch", "gather_ms", "cache"})
"""Options of embedders that change no number of a vector."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteEmbedder(Remote, ABC):
    """Text to vector by a service. `dimension` None is learned from the first answer.

    `shorten` asks the model for vectors of `dimension` numbers, which some models can make.
    """

    largest_batch: ClassVar[int] = 1_000

    dimension: int | None = None
    shorten: bool = False
    query_prefix: str = ""
    normalize: bool = False
    batch: int = 32
    gather_ms: float = 2
    cache: int = 10_000

    def __post_init__(self) -> None:
        Remote.__post_init__(self)
        if self.dimension is not None:
            within("dimension", self.dimension, 1, LONGEST)
        elif self.shorten:
            raise ValueError("shorten: needs the dimension to shorten to")
        within("batch", self.batch, 1, self.largest_batch)
        within("gather_ms", self.gather_ms, 0, 100)
        within("cache", self.cache, 0, 1_000_000)

    def unversioned(self) -> frozenset[str]:
        """The options that `identity` leaves out."""
        return UNVERSIONED | (BESIDE if self.shorten else BESIDE | {"dimension"})

    @abstractmethod
    def asking(self, where: str) -> AbstractAsyncContextManager[Ask]:
        """The service, open."""

    @asynccontextmanager
    async def open(self, name: str, role: Role) -> AsyncIterator[Embedder]:
        """A client of its own; reads the key. Raises ConfigError where there is none."""
        async with (
            self.asking(f"embedder {name!r}") as ask,
            Batcher(
                _Checked(ask, self.dimension, self.normalize),
                batch=self.batch,
                gather=self.gather_ms / 1000,
                concurrency=self.concurrency,
                seconds=self.timeout_ms / 1000,
            ) as batcher,
            Lru(_Prepared(batcher, self.max_characters, self.query_prefix), self.cache) as embedder,
        ):
            yield embedder


class _Checked:
    """The service's answers, checked; knows their dimension from the first sound one on."""

    def __init__(self, ask: Ask, dimension: int | None, normalize: bool) -> None:
        self._ask = ask
        self._dimension = dimension
        self._normalize = normalize

    async def __call__(self, texts: Sequence[str]) -> Sequence[Vector | BackendError]:
        rows = await self._ask(texts)
        vectors = checked(rows, len(texts), self._dimension, normalize=self._normalize)
        for vector in vectors:
            if self._dimension is None and not isinstance(vector, BackendError):
                self._dimension = len(vector)
        return vectors


@dataclass(frozen=True, slots=True, eq=False)
class _Prepared:
    """The batcher's texts: cut to the model's budget, after the prefix it was taught."""

    batcher: Batcher
    most: int
    prefix: str

    async def embed(self, text: str) -> Vector:
        """The text's vector. Raises BackendRefused for no Unicode, else as the batcher does."""
        return await self.batcher.embed(texts.query(text, self.most, self.prefix))
