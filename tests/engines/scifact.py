"""A corpus with embeddings, queries and judgments, and how it gets into an engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from demo.collection import CORPUS, DATA, VECTORS, Claim, claims, unpack
from tests.engines.cluster import Engine, Vector

FIELDS = {"id": "keyword", "title": "english", "text": "english"}


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents, their vectors row by row, and queries with what is relevant to each."""

    documents: tuple[dict[str, Any], ...]
    vectors: np.ndarray[Any, np.dtype[np.float32]]
    queries: tuple[Claim, ...]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Each document with its id as a field too, and with its vector."""
        for document, vector in zip(self.documents, self.vectors, strict=True):
            yield {**document, "id": document["_id"], "embedding": vector.tolist()}

    def load(self, engine: Engine, name: str) -> str:
        """Make an index of all of it; its full name."""
        vectors = {"embedding": Vector(self.vectors.shape[1])}
        index = engine.create(name, FIELDS, vectors)
        engine.load(index, self.rows())
        return index


def shipped(folder: Path) -> Collection:
    """SciFact as the demo ships it, unpacked into `folder`."""
    unpack(folder)
    return Collection(_documents(folder / CORPUS), _vectors(folder / VECTORS), claims(DATA))


def of_folder(folder: Path) -> Collection:
    """Any set of the data folder that has embeddings."""
    return Collection(
        _documents(folder / "corpus.jsonl"),
        _vectors(folder / "doc-vectors.f16.npy"),
        claims(folder),
    )


def _documents(path: Path) -> tuple[dict[str, Any], ...]:
    rows = (json.loads(line) for line in path.read_text().splitlines())
    return tuple(
        {"_id": row.get("_id") or row["id"], "title": row["title"], "text": row["text"]}
        for row in rows
    )


def _vectors(path: Path) -> np.ndarray[Any, np.dtype[np.float32]]:
    vectors: np.ndarray[Any, np.dtype[np.float32]] = np.load(path).astype(np.float32).round(6)
    return vectors
