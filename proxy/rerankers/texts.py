"""The text of a document that a reranker judges: some fields of its source, joined by line ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from proxy.backends import Document
from proxy.errors import BackendError


def texts_of(documents: Mapping[str, Document], fields: Iterable[str]) -> dict[str, str]:
    """By id, the texts of those that have one. Raises BackendError for a source that is no JSON.

    >>> texts_of({"a": Document(b'{"title": "Fox", "tags": ["red", "quick"]}')}, ["title", "tags"])
    {'a': 'Fox\\nred\\nquick'}
    """
    paths = [field.split(".") for field in fields]
    texts = {
        doc: _text(document.source, paths)
        for doc, document in documents.items()
        if document.source is not None
    }
    return {doc: text for doc, text in texts.items() if text}


def _text(source: bytes, paths: Iterable[list[str]]) -> str:
    try:
        read = msgspec.json.decode(source)
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        raise BackendError("a document's source is no JSON") from exc
    return "\n".join(piece for path in paths for piece in _pieces(read, path))


def _pieces(value: object, path: list[str]) -> Iterator[str]:
    """The texts and numbers at a path, in lists too; a key may itself hold dots."""
    match value:
        case list():
            for each in value:
                yield from _pieces(each, path)
        case dict():
            for end in range(1, len(path) + 1):
                yield from _pieces(value.get(".".join(path[:end])), path[end:])
        case str() if not path and (text := value.strip()):
            yield text
        case int() | float() if not path and not isinstance(value, bool):
            yield str(value)
