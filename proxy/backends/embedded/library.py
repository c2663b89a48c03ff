"""Loads the indices of a backend, sharing in memory what live and shadow read alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from proxy.backends.embedded import collection, vectors
from proxy.backends.embedded.collection import Collection, content_hash
from proxy.backends.embedded.fields import Index
from proxy.backends.embedded.progress import Progress
from proxy.backends.embedded.vectors import Vectors
from proxy.model import digest
from proxy.sharing import Shared


@dataclass(frozen=True, slots=True, eq=False)
class OpenIndex:
    """An index in memory. `version` changes with its corpus, fields, analyzers or vectors."""

    index: Index
    collection: Collection
    vectors: Vectors | None
    version: str


# Immutable, and held by open backends only: a reload that changes nothing loads nothing.
_COLLECTIONS: Final = Shared[Collection]()
_VECTORS: Final = Shared[Vectors]()


def load(
    indices: Sequence[tuple[str, Index]], cache: Path, progress: Progress
) -> Mapping[str, OpenIndex]:
    """Every index by name, built where the cache lacks it. Raises ConfigError."""
    return {name: _load(index, cache, progress) for name, index in indices}


def _load(index: Index, cache: Path, progress: Progress) -> OpenIndex:
    fields = dict(index.fields)
    content = content_hash(index.corpus)
    key = collection.key(content, fields)
    found = _COLLECTIONS.get(
        (cache, key), lambda: collection.obtain(index.corpus, fields, cache, progress, content)
    )
    if index.vectors is None:
        return OpenIndex(index, found, None, key)
    path, similarity = index.vectors, index.similarity
    content = content_hash(path)
    compared = _VECTORS.get(
        (key, content, similarity),
        lambda: Vectors(vectors.load(path, found.ids, found.lines, similarity), similarity),
    )
    version = digest(key.encode(), content, similarity.encode(), index.vector_field.encode())
    return OpenIndex(index, found, compared, version.hex())
