"""Embedders: text to vector. A recipe like a backend; opened once per role."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from proxy.backends import Vector
from proxy.model import Role


class Embedder(Protocol):
    """An open embedder. Raises `BackendError` for the model's failures and nothing else."""

    async def embed(self, text: str) -> Vector:
        """The text's vector (float32, L2-normalised if the model says so); off the loop."""
        ...


class EmbedderRecipe(Protocol):
    """What the configuration says of an embedder."""

    def problems(self) -> list[str]:
        """What is wrong before anything is opened (no package, a bad checksum); no network."""
        ...

    @property
    def identity(self) -> str:
        """What a pipeline's version hashes: the model, not its host."""
        ...

    @property
    def model(self) -> str | None:
        """The name of the model whose calls are counted; None where none is watched."""
        ...

    @property
    def third_party(self) -> bool:
        """Whether text leaves the house: only routes that say so may use it."""
        ...

    @property
    def price_per_1000(self) -> float | None:
        """What 1,000 texts cost, in whatever money the operator counts."""
        ...

    @property
    def dimension(self) -> int | None:
        """The length of its vectors where it is known without asking."""
        ...

    def open(self, name: str, role: Role) -> AbstractAsyncContextManager[Embedder]:
        """Open it for one role; closes with the context."""
        ...
