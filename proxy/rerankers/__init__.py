"""Rerankers: the last stage, over the first `top` candidates of the fused list.

`registry` (the kinds) · `embedding` (stored vectors). A reranker is a recipe like a backend, opened
once per role; it only scores, and the pipeline puts the scored in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from proxy.backends import Backend, Question
from proxy.legs import Leg
from proxy.model import Role


class Reranker(Protocol):
    """An open reranker. Raises `BackendError` for the failures of engines and models only."""

    @property
    def top(self) -> int:
        """How many candidates it judges; those beyond follow in fused order without a score."""
        ...

    @property
    def timeout_ms(self) -> int:
        """Its budget; when it is overrun the fused order stands."""
        ...

    @property
    def embedder(self) -> str | None:
        """Whose vector of the query it needs, so that it is made while the legs run."""
        ...

    async def score(
        self, question: Question, ids: Sequence[str], backends: Mapping[str, Backend]
    ) -> Mapping[str, float]:
        """Scores by document id, higher is better; what it can't judge is left out.

        `question.vector` is the request's own vector or `embedder`'s, None where there is neither.
        """
        ...


class RerankerRecipe(Protocol):
    """What the configuration says of a reranker."""

    @property
    def top(self) -> int:
        """How many candidates it judges."""
        ...

    @property
    def timeout_ms(self) -> int:
        """Its budget."""
        ...

    @property
    def identity(self) -> str:
        """What a version hashes beside `top` and the embedder: the model, and not its host."""
        ...

    @property
    def reads(self) -> Sequence[Leg]:
        """The legs that would read what it reads: their backends and embedders must serve these."""
        ...

    def problems(self) -> list[str]:
        """What is wrong before anything is opened; no network."""
        ...

    def open(self, name: str, role: Role) -> AbstractAsyncContextManager[Reranker]:
        """Open it for one role; closes with the context."""
        ...
