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
from proxy.model import Counting, Facet, Filter, Highlight, RankedList, Role, Sources

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What a leg asks: the text, the filters joined by AND, the vector for legs that need one.

    `counting` is what is to be counted beside; None where nobody reads it, which is cheaper.
    """

    text: str
    filters: tuple[Filter, ...] = ()
    vector: Vector | None = None
    counting: Counting | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What a leg brought: ids and scores, and how many documents match (None where not counted).

    `at_least`: it was counted no further. `facets` is a JSON object by name, in the shape of
    Elasticsearch's aggregations. `partial`: the engine answered without a part of its shards, or
    ran out of time, so that this is not all.
    """

    ranked: RankedList
    total: int | None = None
    at_least: bool = False
    facets: bytes | None = None
    partial: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """What is fetched of documents: their sources, and highlights of what `leg` found for `text`.

    A document that doesn't pass every one of `filters` is treated as gone.
    """

    sources: Sources = Sources()  # noqa: RUF009 - frozen
    filters: tuple[Filter, ...] = ()
    highlight: Highlight | None = None
    leg: Leg | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A document's source and highlights as JSON objects, and the index that holds it.

    `source` is None where none was wanted, `highlight` where nothing matched.
    """

    source: bytes | None
    highlight: bytes | None = None
    index: str | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """What the configuration reads of an index: a leg, the length of the vectors it asks with
    where that is known, and the fields that filters name.
    """

    where: str
    leg: Leg
    dimension: int | None = None
    filters: tuple[Filter, ...] = ()


class Backend(Protocol):
    """An open backend. It raises `BackendError` for the engine's failures and nothing else."""

    async def search(self, leg: Leg, question: Question) -> Found:
        """The leg's `window` best documents, scores as Lucene reports them, ties by document id."""
        ...

    async def count(self, leg: Leg, question: Question) -> Found:
        """What `search` would count, without any document."""
        ...

    async def fetch(self, index: str, ids: Sequence[str], wanted: Wanted) -> Mapping[str, Document]:
        """The documents by id; an id that is gone is left out."""
        ...

    async def vectors(self, index: str, field: str, ids: Sequence[str]) -> Mapping[str, Vector]:
        """The stored vectors by id; an id without one is left out."""
        ...

    def index_version(self, index: str) -> str:
        """What changes when the index is built anew, or when the alias moves to another."""
        ...


class BackendRecipe(Protocol):
    """What the configuration says of a backend, before anything is opened."""

    def problems(self, leg: Leg) -> Sequence[str]:
        """Why this backend cannot serve `leg` (unknown index or field, other kind); no network."""
        ...

    def filter_problems(self, index: str, given: Filter) -> Sequence[str]:
        """Why `given` cannot filter `index`; without values, only its field is judged."""
        ...

    def facet_problems(self, index: str, facet: Facet) -> Sequence[str]:
        """Why `facet` can't be computed over `index`, as far as that is known without asking."""
        ...

    def dimension(self, index: str) -> int | None:
        """How long the vectors of `index` are, where that is known without asking."""
        ...

    async def inspect(self, name: str, reads: Sequence[Read]) -> Sequence[str]:
        """Ask the backend itself: what is wrong, each a sentence with the remedy; none if it can
        serve all that is read.
        """
        ...

    def open(self, name: str, role: Role) -> AbstractAsyncContextManager[Backend]:
        """Open it for one role; closes with the context. An engine that is down is no error."""
        ...
