"""Rerankers: the last stage, over the first `top` candidates of the fused list.

`registry` (the kinds) · `embedding` (stored vectors) · one file for each kind of model. A reranker
is a recipe like a backend, opened once per role; it only scores, and the pipeline puts the scored
in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from proxy.backends import Backend, Question
from proxy.legs import Leg
from proxy.model import Role


@dataclass(frozen=True, slots=True)
class Shortlist:
    """What a reranker judges: ids, best first, and by id the text of the fields that it reads.

    A document that is gone has no text; where the reranker reads none, there are no texts.
    """

    ids: tuple[str, ...]
    texts: Mapping[str, str] = field(default_factory=dict)


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

    @property
    def text(self) -> tuple[str, ...]:
        """The fields of a document whose text it judges; none where it reads something else."""
        ...

    async def score(
        self, question: Question, shortlist: Shortlist, backends: Mapping[str, Backend]
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
    def text(self) -> tuple[str, ...]:
        """The fields of a document whose text it judges."""
        ...

    @property
    def identity(self) -> str:
        """What a version hashes beside `top`, `text` and the embedder: the model, not its host."""
        ...

    @property
    def model(self) -> str | None:
        """The name of the model whose calls are counted; None where there is none."""
        ...

    @property
    def third_party(self) -> bool:
        """Whether text leaves the house: only routes that say so may use it."""
        ...

    @property
    def price_per_1000(self) -> float | None:
        """What 1,000 `units` cost, in whatever money the operator counts."""
        ...

    @property
    def reads(self) -> Sequence[Leg]:
        """The legs that would read what it reads: their backends and embedders must serve these."""
        ...

    def units(self, documents: int) -> int:
        """What one call over so many documents is billed for."""
        ...

    def problems(self) -> list[str]:
        """What is wrong before anything is opened; no network."""
        ...

    def open(self, name: str, role: Role) -> AbstractAsyncContextManager[Reranker]:
        """Open it for one role; closes with the context."""
        ...
