"""The lexical question: Elasticsearch's `multi_match` of type `best_fields` as a tantivy query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Final

import tantivy

from proxy.backends.embedded.analyzers import ANALYZERS
from proxy.backends.embedded.fields import Field
from proxy.backends.embedded.filters import Layout
from proxy.errors import BackendRefused

MOST_TERMS: Final = 1024
"""More distinct terms in one field are refused: the least that Elasticsearch allows."""


def boosts(fields: Iterable[str]) -> dict[str, float]:
    """Field names with their boosts. Raises ValueError for a boost that is none, or a field twice.

    >>> boosts(["question^3", "text"])
    {'question': 3.0, 'text': 1.0}
    """
    found: dict[str, float] = {}
    for field in fields:
        name, caret, written = field.partition("^")
        try:
            boost = float(written) if caret else 1.0
        except ValueError:
            boost = 0.0
        if not (isfinite(boost) and boost > 0):
            raise ValueError(f"{field!r}: a boost is a number above 0")
        if name in found:
            raise ValueError(f"{name!r} stands there twice")
        found[name] = boost
    return found


def best_fields(
    layout: Layout, asked: Sequence[str], text: str, tie_breaker: float
) -> tantivy.Query | None:
    """The best field's score plus `tie_breaker` times the others'; None if no term is left.

    A field's score is its boost times the sum over the terms that it holds. Raises BackendRefused.
    """
    try:
        weights = boosts(asked)
        terms = {name: Counter(_terms(layout.fields, name, text)) for name in weights}
    except ValueError as exc:
        raise BackendRefused(str(exc)) from exc
    queries = [
        tantivy.Query.boost_query(
            _any_of(layout.schema, layout.stored[name], counts), weights[name]
        )
        for name, counts in terms.items()
        if counts
    ]
    return tantivy.Query.disjunction_max_query(queries, tie_breaker) if queries else None


def _terms(fields: Mapping[str, Field], name: str, text: str) -> list[str]:
    field = fields.get(name)
    if field is None or field.type != "text":
        raise ValueError(f"{name!r} is no text field of this index")
    return ANALYZERS[field.analyzer or "standard"](text)


def _any_of(schema: tantivy.Schema, stored: str, counts: Counter[str]) -> tantivy.Query:
    """Documents with any of the terms; a term asked for twice counts twice."""
    if len(counts) > MOST_TERMS:
        raise BackendRefused(f"{len(counts)} distinct terms, {MOST_TERMS} are allowed")
    should = []
    for term, times in counts.items():
        query = tantivy.Query.term_query(schema, stored, term, index_option="freq")
        should.append(
            (tantivy.Occur.Should, tantivy.Query.boost_query(query, times) if times > 1 else query)
        )
    return tantivy.Query.boolean_query(should)
