"""The embedded backend: BM25 by tantivy and exact vectors by numpy, inside this process.

`fields` (schema) · `corpus` (reads documents) · `analyzers`, `porter` (text to terms) ·
`questions`, `filters` (legs to tantivy's queries) ·
`text_index`, `vectors` (search) · `columns`, `facets` (what is counted) ·
`sources`, `fragments`, `highlights` (what of a document is shown) · `cache`, `collection`,
`library` (build once, keep, share) · `progress` · `engine` (the open backend).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Self

from config.named import Named
from config.problems import problem
from proxy.backends import Read
from proxy.backends.embedded import facets, filters, library
from proxy.backends.embedded.engine import Engine
from proxy.backends.embedded.fields import Index
from proxy.backends.embedded.progress import Progress
from proxy.backends.embedded.questions import boosts
from proxy.backends.embedded.vectors import mapped
from proxy.legs import Leg
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.model import Facet, Filter, Role

SERVED: Final = ("knn", "lexical")


@dataclass(frozen=True, slots=True)
class Embedded:
    """Indices built from files. `cache` keeps them between runs (default: in the state folder).

    `threads` is how many searches run at once, for live and for shadows each.
    """

    indices: Named[Index]
    cache: Path | None = None
    threads: int = 2

    def __post_init__(self) -> None:
        if not self.indices:
            raise ValueError("indices: at least one is needed")
        if not 1 <= self.threads <= 64:
            raise ValueError(f"threads: {self.threads} is not 1 to 64")

    def at(self, folder: Path, state_dir: Path) -> Self:
        """The same with paths read from `folder`, and the cache in `state_dir` if it names none."""
        indices = tuple((name, _located(index, folder)) for name, index in self.indices)
        cache = state_dir / "embedded" if self.cache is None else folder / self.cache
        return replace(self, indices=indices, cache=cache)

    def problems(self, leg: Leg) -> Sequence[str]:
        """Why `leg` can't be served: an unknown index or field."""
        index = dict(self.indices).get(leg.index)
        if index is None:
            names = [name for name, _ in self.indices]
            return [problem("index", "is no index of this backend", leg.index, names)]
        match leg:
            case Lexical():
                return _lexical_problems(index, leg)
            case Knn():
                return _knn_problems(index, leg)
            case _:
                kind = type(leg).__name__.lower()
                return [problem("kind", "is no leg that an embedded index answers", kind, SERVED)]

    def faults(self) -> list[str]:
        """Which files of its indices are not there, each at its own place."""
        return [
            problem(f"indices.{name}.{what}", "is not there", str(path))
            for name, index in self.indices
            for what, path in (("corpus", index.corpus), ("vectors", index.vectors))
            if path is not None and not _there(path)
        ]

    def filter_problems(self, index: str, given: Filter) -> list[str]:
        """Why `given` can't filter `index`: an unknown field, or a value of another type.

        An unknown index is its leg's problem, told once by `problems`.
        """
        known = dict(self.indices).get(index)
        return [] if known is None else filters.problems(dict(known.fields), given)

    def facet_problems(self, index: str, facet: Facet) -> list[str]:
        """Why `facet` can't be counted in `index`: an unknown field, or one of another type."""
        known = dict(self.indices).get(index)
        return [] if known is None else facets.problems(dict(known.fields), facet)

    def dimension(self, index: str) -> int | None:
        """How long the vectors of `index` are, from their file's head; None without such a file."""
        known = dict(self.indices).get(index)
        path = None if known is None else known.vectors
        try:
            return None if path is None else int(mapped(path).shape[1])
        except (OSError, ValueError, IndexError):
            return None

    async def inspect(self, name: str, reads: Sequence[Read]) -> Sequence[str]:
        """Nothing that building the configuration doesn't tell: there is nobody else to ask."""
        return ()

    @asynccontextmanager
    async def open(self, name: str, role: Role) -> AsyncIterator[Engine]:
        """Load or build every index off the loop, with threads of this role's own.

        Raises ConfigError for a corpus or vectors that aren't right.
        """
        loop, progress = asyncio.get_running_loop(), Progress(threading.Event())
        threads = ThreadPoolExecutor(self.threads, thread_name_prefix=f"{name}-{role}")
        cache = self.cache or Path("embedded")
        try:
            opened = await loop.run_in_executor(
                threads, library.load, self.indices, cache, progress
            )
            yield Engine(opened, threads)
        finally:
            progress.stop.set()
            threads.shutdown(wait=False, cancel_futures=True)


def _there(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # no name that a file could have
        return False


def _located(index: Index, folder: Path) -> Index:
    vectors = None if index.vectors is None else folder / index.vectors
    return replace(index, corpus=folder / index.corpus, vectors=vectors)


def _lexical_problems(index: Index, leg: Lexical) -> list[str]:
    try:
        asked = boosts(leg.fields)
    except ValueError as exc:
        return [f"fields: {exc}"]
    text = index.of_type("text")
    return [
        problem("fields", f"is no text field of {leg.index!r}", name, text)
        for name in asked
        if name not in text
    ]


def _knn_problems(index: Index, leg: Knn) -> list[str]:
    if index.vectors is None:
        return [problem("field", f"index {leg.index!r} has no vectors", leg.field)]
    if leg.field != index.vector_field:
        what = f"is not the vector field of {leg.index!r}"
        return [problem("field", what, leg.field, [index.vector_field])]
    return []
