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
from proxy.backends.embedded.columns import Column
from proxy.backends.embedded.corpus import Corpus
from proxy.backends.embedded.fields import Field
from proxy.backends.embedded.filters import Layout
from proxy.errors import BackendError
from proxy.legs.lexical import Lexical
from proxy.model import Filter, Scalar

Ordinals: TypeAlias = NDArray[np.int64]
Top: TypeAlias = tuple[list[int], list[float], int]
"""Documents by their place in the order of ids."""

LAYOUT: Final = f"2/{version('tantivy')}"
"""Part of a built index's key: what this file, `columns` and tantivy write."""
_ROW: Final = "row"
_TERMS: Final = "terms"
_HEAP: Final = 500_000_000
_PART: Final = 1 << 14
"""Documents that are listed in one go, which keeps other threads waiting meanwhile."""
_SPARE: Final = 28
"""Hits read beyond a window, so that a tie across its edge is seen without asking again."""


class TextIndex:
    """BM25 (k1 1.2, b .75) over the text fields, and filters over all; documents are ordinals."""

    def __init__(
        self, folder: Path, fields: Mapping[str, Field], columns: Mapping[str, Column]
    ) -> None:
        """Open what `build` made. Raises ValueError if the folder holds no such index."""
        index = tantivy.Index.open(str(folder))
        index.register_tokenizer(_TERMS, _lines())
        self._searcher = index.searcher()
        words = {name: column.words for name, column in columns.items()}
        self._layout = Layout(index.schema, fields, _stored(fields), words)
        self.size = self._searcher.num_docs

    def search(self, leg: Lexical, text: str, given: Sequence[Filter]) -> Top:
        """Ordinals and scores of the window's best, ties by ordinal, and how many match at all."""
        query = self._query(leg, text, given)
        if query is None:
            return [], [], 0
        with _engine_errors():
            return self._best(query, leg.window)

    def count(self, leg: Lexical, text: str, given: Sequence[Filter]) -> int:
        """How many documents match. Raises BackendError."""
        query = self._query(leg, text, given)
        if query is None:
            return 0
        with _engine_errors():
            return int(self._hits(query, 1).count)

    def matches(self, leg: Lexical, text: str, given: Sequence[Filter]) -> Ordinals:
        """All the documents that match, in order. Raises BackendError."""
        query = self._query(leg, text, given)
        return self._all(tantivy.Query.empty_query() if query is None else query)

    def matching(self, given: Sequence[Filter], among: Sequence[int] | None = None) -> Ordinals:
        """The documents (`among` some) that pass every filter, in order. Raises BackendError."""
        found = filters.clauses(self._layout, given)
        query = tantivy.Query.all_query()
        if among is not None:
            query = tantivy.Query.term_set_query(self._layout.schema, _ROW, among)
        return self._all(tantivy.Query.boolean_query([(tantivy.Occur.Must, query), *found]))

    def _query(self, leg: Lexical, text: str, given: Sequence[Filter]) -> tantivy.Query | None:
        query = questions.best_fields(self._layout, leg.fields, text, leg.tie_breaker)
        clauses = filters.clauses(self._layout, given)
        if query is None or not clauses:
            return query
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, query), *clauses])

    def _best(self, query: tantivy.Query, window: int) -> Top:
        limit = min(window + _SPARE, self.size)
        while True:
            result = self._hits(query, limit)
            scores = [score for score, _ in result.hits]
            # Documents that tie with the window's last may stand beyond what was read: read on.
            if len(scores) < limit or limit == self.size or scores[-1] < scores[window - 1]:
                break
            limit = min(4 * limit, self.size)
        addresses = [address for _, address in result.hits]
        # The row is an unsigned field that every document has.
        rows = cast(list[int], self._searcher.fast_field_values(_ROW, addresses))
        best = sorted(zip((-score for score in scores), rows, strict=True))[:window]
        return [row for _, row in best], [-score for score, _ in best], result.count

    def _hits(self, query: tantivy.Query, limit: int) -> Any:
        """tantivy's result, whose stub lacks `count`."""
        return self._searcher.search(query, limit)

    def _all(self, query: tantivy.Query) -> Ordinals:
        """Every row that a query finds, in order; of many, a part of the index after the other."""
        with _engine_errors():
            if self._hits(query, 1).count <= _PART:
                return self._rows(query)
            starts = range(0, self.size, _PART)
            return np.concatenate([self._rows(self._from(start, query)) for start in starts])

    def _from(self, start: int, query: tantivy.Query) -> tantivy.Query:
        unsigned, end = tantivy.FieldType.Unsigned, start + _PART - 1
        part = tantivy.Query.range_query(self._layout.schema, _ROW, unsigned, start, end)
        return tantivy.Query.boolean_query(
            [(tantivy.Occur.Must, query), (tantivy.Occur.Must, part)]
        )

    def _rows(self, query: tantivy.Query) -> Ordinals:
        found = self._searcher.search(
            query, _PART, count=False, order_by_field=_ROW, order=tantivy.Order.Asc
        )
        return np.fromiter((row for row, _ in found.hits), np.int64)


def build(
    folder: Path,
    corpus: Corpus,
    fields: Mapping[str, Field],
    columns: Mapping[str, Column],
    ticks: Iterable[int],
) -> None:
    """Write the index of `corpus` into the empty `folder`; `ticks` counts its documents from 0."""
    stored = _stored(fields)
    places = {
        name: {word: place for place, word in enumerate(column.words)}
        for name, column in columns.items()
    }
    index = tantivy.Index(_schema(fields, stored), path=str(folder))
    index.register_tokenizer(_TERMS, _lines())
    # One thread, so that equal corpora give equal indices whatever the machine.
    writer = index.writer(heap_size=_HEAP, num_threads=1)
    for row, source in zip(ticks, corpus.documents(), strict=True):
        document = tantivy.Document()
        document.add_unsigned(_ROW, row)
        for name, field in fields.items():
            _add(document, stored[name], field, field.values(source, name), places.get(name, {}))
        writer.add_document(document)
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
    builder.add_unsigned_field(_ROW, indexed=True, fast=True)
    builder.add_text_field(filters.HELD, tokenizer_name="raw", index_option="basic")
    for name, field in fields.items():
        match field.type:
            case "text":
                builder.add_text_field(stored[name], tokenizer_name=_TERMS, index_option="freq")
            case "keyword":
                builder.add_unsigned_field(stored[name], indexed=True, fast=True)
            case "number":
                builder.add_float_field(stored[name], indexed=True, fast=True)
            case "boolean":
                builder.add_boolean_field(stored[name], indexed=True)
    return builder.build()


def _add(
    document: tantivy.Document,
    stored: str,
    field: Field,
    values: Sequence[Scalar],
    places: Mapping[str, int],
) -> None:
    """Add a field's values, a keyword as its place among the field's words."""
    if values:
        document.add_text(filters.HELD, stored)
    match field.type:
        case "text":
            analyze = ANALYZERS[field.analyzer or "standard"]
            terms = [term for value in values for term in analyze(str(value))]
            document.add_text(stored, "\n".join(terms))
        case "keyword":
            for value in values:
                document.add_unsigned(stored, places[str(value)])
        case "number":
            for value in values:
                document.add_float(stored, float(value) + 0.0)
        case "boolean":
            for value in values:
                document.add_boolean(stored, bool(value))


@contextmanager
def _engine_errors() -> Iterator[None]:
    """tantivy's failures as ours."""
    try:
        yield
    except (ValueError, OSError, RuntimeError) as exc:
        raise BackendError(f"tantivy: {exc}") from exc
