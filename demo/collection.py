"""SciFact as `demo/data` ships it: claims with their judgments, and the files an engine reads."""

from __future__ import annotations

import json
import lzma
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import numpy as np

DATA: Final = Path(__file__).parent / "data"
CORPUS: Final = "corpus.jsonl"
VECTORS: Final = "vectors.npy"
SHIFTED: Final = "shifted.npy"


@dataclass(frozen=True, slots=True)
class Claim:
    """A query of the collection, its embedding, and the documents that are judged relevant."""

    id: str
    text: str
    vector: tuple[float, ...]
    relevant: frozenset[str]


def claims(folder: Path = DATA) -> tuple[Claim, ...]:
    """The 300 test claims, in file order."""
    relevant = dict[str, set[str]]()
    for line in (folder / "qrels.txt").read_text().splitlines():
        query, _, doc_id, grade = line.split()
        if int(grade) > 0:
            relevant.setdefault(query, set()).add(doc_id)
    vectors = np.load(folder / "query-vectors.f16.npy").astype(np.float64)
    rows = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines()]
    return tuple(
        Claim(row["_id"], row["text"], tuple(vector.tolist()), frozenset(relevant[row["_id"]]))
        for row, vector in zip(rows, vectors, strict=True)
    )


def unpack(target: Path, folder: Path = DATA) -> None:
    """Write what the engine loads: the corpus, its vectors, and the vectors shifted by one.

    The shifted file gives every document its neighbour's vector, as a bad reindex leaves them.
    """
    target.mkdir(parents=True, exist_ok=True)
    for name, source in ((CORPUS, "corpus.jsonl.xz"), (VECTORS, "vectors.f16.npy.xz")):
        with lzma.open(folder / source) as packed:
            _replace(target / name, packed)
    shifted = np.roll(np.load(target / VECTORS), 1, axis=0)
    partial = target / f"{SHIFTED}.partial"
    with partial.open("wb") as file:
        np.save(file, shifted)
    partial.replace(target / SHIFTED)


def _replace(path: Path, source: IO[bytes]) -> None:
    """Write beside and rename, so that nobody reads half a file."""
    partial = path.with_name(f"{path.name}.partial")
    with partial.open("wb") as file:
        shutil.copyfileobj(source, file)
    partial.replace(path)
