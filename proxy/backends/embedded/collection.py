"""What is kept of a corpus: its documents as bytes and its text index, in one cached folder."""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from config.errors import ConfigError
from proxy.backends.embedded import analyzers, cache, columns, text_index
from proxy.backends.embedded.columns import Column
from proxy.backends.embedded.corpus import CHECKS, scan
from proxy.backends.embedded.fields import Field
from proxy.backends.embedded.progress import Progress
from proxy.backends.embedded.text_index import Ordinals, TextIndex
from proxy.model import digest

_SOURCES: Final = "documents.jsonl"
_IDS: Final = "ids.json"
_PLACES: Final = "places.npy"
_COLUMNS: Final = "columns"
_TEXT: Final = "text"


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Collection:
    """A corpus as searched and fetched; its vectors are kept apart, so that several may share it.

    `ids[i]`, `lines[i]` (from 0) and `spans[i]` (bytes of `sources`) belong to ordinal i.
    """

    ids: tuple[str, ...]
    ordinals: Mapping[str, int]
    lines: Ordinals
    spans: NDArray[np.int64]
    sources: mmap.mmap
    text: TextIndex
    columns: Mapping[str, Column]

    def source(self, ordinal: int) -> bytes:
        """The document's JSON exactly as its line holds it."""
        start, end = self.spans[ordinal]
        return self.sources[start:end].strip()


def content_hash(path: Path) -> bytes:
    """Eight bytes that change with the file. Raises ConfigError if it can't be read."""
    try:
        with path.open("rb") as file:
            return file_digest(file, lambda: blake2b(digest_size=8)).digest()
    except OSError as exc:
        raise ConfigError(str(path), [f"cannot be read: {exc}"]) from exc


def key(content: bytes, fields: Mapping[str, Field]) -> str:
    """What a cached collection is called: its content, fields, checks, analyzers and layout."""
    schema = repr(sorted(fields.items())).encode()
    versions = f"{text_index.LAYOUT}/{analyzers.VERSION}/{CHECKS}".encode()
    return digest(content, schema, versions).hex()


def obtain(
    corpus: Path, fields: Mapping[str, Field], folder: Path, progress: Progress, content: bytes
) -> Collection:
    """The collection of a corpus whose hash is `content`, built if need be in the cache `folder`.

    Raises ConfigError.
    """
    name, made = key(content, fields), partial(_build, corpus, fields, progress, content)
    try:
        return _load(cache.obtain(folder, name, made, progress), fields)
    except (OSError, ValueError, EOFError, msgspec.MsgspecError):
        # A damaged entry (a full disk, a curious hand) is worth building again, once.
        cache.discard(folder, name, progress)
        return _load(cache.obtain(folder, name, made, progress), fields)


def _build(
    path: Path, fields: Mapping[str, Field], progress: Progress, content: bytes, folder: Path
) -> None:
    corpus = scan(path, fields, progress)
    if content_hash(path) != content:
        raise ConfigError(str(path), ["changed while it was read"])
    (folder / _SOURCES).write_bytes(corpus.content)
    (folder / _IDS).write_bytes(msgspec.json.encode(corpus.ids))
    np.save(folder / _PLACES, np.column_stack((corpus.lines, corpus.spans)))
    (folder / _COLUMNS).mkdir()
    built = columns.build(folder / _COLUMNS, corpus.documents(), fields)
    (folder / _TEXT).mkdir()
    rows = progress.over(range(len(corpus.ids)), f"indexing {path.name}")
    text_index.build(folder / _TEXT, corpus, fields, built, rows)


def _load(folder: Path, fields: Mapping[str, Field]) -> Collection:
    ids = msgspec.json.decode((folder / _IDS).read_bytes(), type=tuple[str, ...])
    places = np.load(folder / _PLACES)
    with (folder / _SOURCES).open("rb") as file:
        sources = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    held = columns.load(folder / _COLUMNS, fields)
    text = TextIndex(folder / _TEXT, fields, held)
    whole = len(ids) == len(places) == text.size and places[:, 2].max() <= len(sources)
    if not whole:
        raise ValueError(f"{folder} is incomplete")
    ordinals = {document_id: ordinal for ordinal, document_id in enumerate(ids)}
    return Collection(ids, ordinals, places[:, 0], places[:, 1:], sources, text, held)
