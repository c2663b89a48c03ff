"""Backends: what holds documents and answers legs.

A backend is a recipe (a frozen dataclass, its fields are its YAML schema) whose `open()` is an
async context manager. It is opened once per role, so that live and shadow share no pool and no
thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from proxy.legs import Leg
from proxy.model import Filter, RankedList, Role

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What a leg asks: the text, the filters joined by AND, the vector for legs that need one."""

    text: str
    filters: tuple[Filter, ...] = ()
    vector: Vector | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What a leg brought: ids and scores, and how many documents match (None where not counted)."""

    ranked: RankedList
    total: int | None = None


class Backend(Protocol):
    """An open backend. It raises `BackendError` for the engine's failures and nothing else."""

    async def search(self, leg: Leg, question: Question) -> Found:
        """The leg's `window` best documents, scores as Lucene reports them, ties by document id."""
        ...

    async def fetch(self, index: str, ids: Sequence[str]) -> Mapping[str, bytes]:
        """The documents' sources as JSON, by id; an id that is gone is left out."""
        ...

    async def vectors(self, index: str, field: str, ids: Sequence[str]) -> Mapping[str, Vector]:
        """The stored vectors by id; an id without one is left out."""
        ...

    def index_version(self, index: str) -> str:
        """What changes when the index is built anew."""
        ...


class BackendRecipe(Protocol):
    """What the configuration says of a backend, before anything is opened."""

    def problems(self, leg: Leg) -> Sequence[str]:
        """Why this backend cannot serve `leg` (unknown index or field, other kind); no network."""
        ...

    def filter_problems(self, index: str, given: Filter) -> Sequence[str]:
        """Why `given` cannot filter `index`; without values, only its field is judged."""
        ...

    def dimension(self, index: str) -> int | None:
        """How long the vectors of `index` are, where that is known without asking."""
        ...

    def open(self, name: str, role: Role) -> AbstractAsyncContextManager[Backend]:
        """Open it for one role; closes with the context."""
        ...
