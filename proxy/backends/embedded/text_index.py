"""The tantivy index of a corpus: built once into a folder, then searched from any thread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

import numpy as np
import tantivy
from numpy.typing import NDArray

from proxy.backends.embedded import filters, questions
from proxy.backends.embedded.analyzers import ANALYZERS
from proxy.backends.embedded.corpus import Corpus
from proxy.backends.embedded.fields import Field
from proxy.errors import BackendError
from proxy.legs.lexical import Lexical
from proxy.model import Filter

Ordinals: TypeAlias = NDArray[np.int64]
Top: TypeAlias = tuple[list[int], list[float], int]
"""Documents by their place in the order of ids."""

LAYOUT: Final = f"1/{version('tantivy')}"
"""Part of a built index's key: what this file and tantivy write."""
_ROW: Final = "row"
_TERMS: Final = "terms"
_HEAP: Final = 500_000_000
_SPARE: Final = 28
"""Hits read beyond a window, so that a tie across its edge is seen without asking again."""


class TextIndex:
    """BM25 (k1 1.2, b .75) over the text fields, and filters over all; documents are ordinals."""

    def __init__(self, folder: Path, fields: Mapping[str, Field]) -> None:
        """Open what `build` made. Raises ValueError if the folder holds no such index."""
        index = tantivy.Index.open(str(folder))
        index.register_tokenizer(_TERMS, _lines())
        self._schema = index.schema
        self._searcher = index.searcher()
        self._fields = fields
        self._stored = _stored(fields)
        self.size = self._searcher.num_docs

    def search(self, leg: Lexical, text: str, given: Sequence[Filter]) -> Top:
        """Ordinals and scores of the window's best, ties by ordinal, and how many match at all."""
        query = questions.best_fields(
            self._schema, self._stored, self._fields, leg.fields, text, leg.tie_breaker
        )
        clauses = filters.clauses(self._schema, self._stored, self._fields, given)
        if query is None:
            return [], [], 0
        if clauses:
            query = tantivy.Query.boolean_query([(tantivy.Occur.Must, query), *clauses])
        with _engine_errors():
            return self._best(query, leg.window)

    def matching(self, given: Sequence[Filter]) -> Ordinals:
        """The documents that pass every filter, in order. Raises BackendError."""
        clauses = filters.clauses(self._schema, self._stored, self._fields, given)
        with _engine_errors():
            hits = self._searcher.search(tantivy.Query.boolean_query(clauses), self.size).hits
            rows = self._rows(hits)
        return np.sort(np.array(rows, np.int64))

    def _best(self, query: tantivy.Query, window: int) -> Top:
        limit = min(window + _SPARE, self.size)
        while True:
            result: Any = self._searcher.search(query, limit)  # tantivy's stub lacks `count`
            scores = [score for score, _ in result.hits]
            # Documents that tie with the window's last may stand beyond what was read: read on.
            if len(scores) < limit or limit == self.size or scores[-1] < scores[window - 1]:
                break
            limit = min(4 * limit, self.size)
        rows = self._rows(result.hits)
        best = sorted(zip((-score for score in scores), rows, strict=True))[:window]
        return [row for _, row in best], [-score for score, _ in best], result.count

    def _rows(self, hits: Sequence[tuple[Any, tantivy.DocAddress]]) -> list[int]:
        rows = self._searcher.fast_field_values(_ROW, [address for _, address in hits])
        return cast(list[int], rows)  # the row is an unsigned field that every document has


def build(folder: Path, corpus: Corpus, fields: Mapping[str, Field], ticks: Iterable[int]) -> None:
    """Write the index of `corpus` into the empty `folder`; `ticks` counts its documents from 0."""
    stored = _stored(fields)
    index = tantivy.Index(_schema(fields, stored), path=str(folder))
    index.register_tokenizer(_TERMS, _lines())
    # One thread, so that equal corpora give equal indices whatever the machine.
    writer = index.writer(heap_size=_HEAP, num_threads=1)
    for row, document in zip(ticks, corpus.documents(), strict=True):
        writer.add_document(_document(row, document, fields, stored))
    writer.commit()
    writer.wait_merging_threads()


def _stored(fields: Mapping[str, Field]) -> dict[str, str]:
    """What tantivy calls each field: in a name of ours it would read a dot as a path."""
    return {name: f"f{place}" for place, name in enumerate(sorted(fields))}


def _lines() -> tantivy.TextAnalyzer:
    """Terms come analysed, one a line: the analyzers stay in one place, and tantivy only counts."""
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(r"[^\n]+")).build()


def _schema(fields: Mapping[str, Field], stored: Mapping[str, str]) -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field(_ROW, fast=True)
    for name, field in fields.items():
        match field.type:
            case "text":
                builder.add_text_field(stored[name], tokenizer_name=_TERMS, index_option="freq")
            case "keyword":
                builder.add_text_field(stored[name], tokenizer_name="raw", index_option="basic")
            case "number":
                builder.add_float_field(stored[name], indexed=True)
            case "boolean":
                builder.add_boolean_field(stored[name], indexed=True)
    return builder.build()


def _document(
    row: int, source: Mapping[str, object], fields: Mapping[str, Field], stored: Mapping[str, str]
) -> tantivy.Document:
    document = tantivy.Document()
    document.add_unsigned(_ROW, row)
    for name, field in fields.items():
        values = field.values(source, name)
        match field.type:
            case "text":
                analyze = ANALYZERS[field.analyzer or "standard"]
                terms = [term for value in values for term in analyze(str(value))]
                document.add_text(stored[name], "\n".join(terms))
            case "keyword":
                for value in values:
                    document.add_text(stored[name], str(value))
            case "number":
                for value in values:
                    document.add_float(stored[name], float(value))
            case "boolean":
                for value in values:
                    document.add_boolean(stored[name], bool(value))
    return document


@contextmanager
def _engine_errors() -> Iterator[None]:
    """tantivy's failures as ours."""
    try:
        yield
    except (ValueError, OSError, RuntimeError) as exc:
        raise BackendError(f"tantivy: {exc}") from exc
