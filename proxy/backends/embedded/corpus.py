"""Read a corpus: one JSON document a line, plain or gzipped; every problem is named by its line."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from config.errors import ConfigError
from proxy.backends.embedded.fields import Field
from proxy.backends.embedded.progress import Progress

SHOWN: Final = 20
"""How many problems one error lists; the rest is counted."""
LONGEST_ID: Final = 512
"""In bytes: Elasticsearch's limit, and no more than a click may name."""
CHECKS: Final = 2
"""Part of a built index's key: raise it when a line is refused that wasn't."""

_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """A valid corpus. `ids[i]`, `lines[i]` and `spans[i]` belong to one document, in order of ids.

    `lines` count from 0; `spans` are (start, end) bytes of `content`.
    """

    content: bytes
    ids: tuple[str, ...]
    lines: NDArray[np.int64]
    spans: NDArray[np.int64]

    def documents(self) -> Iterator[dict[str, Any]]:
        """The documents, in order of ids."""
        return (_decode(self.content[start:end]) for start, end in self.spans)


def read(path: Path) -> bytes:
    """The file's content, unpacked if its name ends in .gz. Raises ConfigError."""
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if path.suffix == ".gz" else content
    except (OSError, EOFError, zlib.error) as exc:
        raise ConfigError(str(path), [f"cannot be read: {exc}"]) from exc


def scan(path: Path, fields: Mapping[str, Field], progress: Progress) -> Corpus:
    """Read and check every line. Raises ConfigError with the first problems and how many more."""
    content = read(path)
    spans = _spans(content)
    lines: dict[str, int] = {}
    problems: list[str] = []
    for line in progress.over(range(len(spans)), f"reading {path.name}"):
        start, end = spans[line]
        try:
            document_id = _checked(content[start:end], fields)
            if (first := lines.setdefault(document_id, line)) != line:
                raise ValueError(f"id {document_id!r} is taken by line {first + 1}")
        except ValueError as exc:
            problems.append(f"line {line + 1}: {exc}")
    if not spans:
        problems.append("holds no document")
    if problems:
        raise ConfigError(str(path), some(problems))
    ids = tuple(sorted(lines))
    order = np.fromiter((lines[document_id] for document_id in ids), np.int64, len(ids))
    return Corpus(content, ids, order, np.array(spans, np.int64)[order])


def some(problems: list[str]) -> list[str]:
    """The first problems, and how many more there are."""
    more = len(problems) - SHOWN
    return problems if more <= 0 else [*problems[:SHOWN], f"and {more} more"]


def _spans(content: bytes) -> list[tuple[int, int]]:
    """Where each line starts and ends, without its newline; the last line needs none."""
    spans, start = [], 0
    while start < len(content):
        end = content.find(b"\n", start)
        end = len(content) if end < 0 else end
        spans.append((start, end))
        start = end + 1
    return spans


def _checked(line: bytes, fields: Mapping[str, Field]) -> str:
    """The id of a line that holds a document with its fields. Raises ValueError."""
    try:
        document = _decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as exc:
        raise ValueError(_why_not_json(line, exc)) from exc
    document_id = document.get("_id", document.get("id"))
    if document_id is None:
        raise ValueError("no `_id` (or `id`)")
    if not isinstance(document_id, str) or not 0 < len(document_id.encode()) <= LONGEST_ID:
        shown = str(document_id)[:100]
        raise ValueError(f"id {shown!r} is not a string of 1 to {LONGEST_ID} bytes")
    if "\0" in document_id:
        raise ValueError(f"id {document_id!r} holds a NUL character; no click could name it")
    for name, field in fields.items():
        try:
            field.values(document, name)
        except ValueError as exc:
            raise ValueError(f"id {document_id!r}: {exc}") from exc
    return document_id


def _why_not_json(line: bytes, exc: Exception) -> str:
    """What is wrong with a line: to msgspec, one with a lone surrogate is merely cut short."""
    try:
        json.dumps(json.loads(line), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return "holds a lone surrogate, which is no character"
    except (ValueError, RecursionError):
        pass
    return f"not a JSON object: {exc}"
