"""The clauses that hold a query's text, and what they may say beside it.

Which fields are searched, how strictly, with which analyzer and boost is the business of the
route's pipelines: what a clause says of that is accepted and has no effect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from proxy.compat.shapes import at, only, pair
from proxy.errors import BadRequest
from proxy.wire import checks
from proxy.wire.search import MAX_QUERY

Reader: TypeAlias = Callable[[object, str], str]

_MATCH: Final = (
    "analyzer", "auto_generate_synonyms_phrase_query", "boost", "fuzziness", "fuzzy_rewrite",
    "fuzzy_transpositions", "lenient", "max_expansions", "minimum_should_match", "operator",
    "prefix_length", "zero_terms_query",
)  # fmt: skip
_PHRASE: Final = ("analyzer", "boost", "slop", "zero_terms_query")
_MULTI: Final = (*_MATCH, "fields", "slop", "tie_breaker", "type")
_SIMPLE: Final = (
    "analyze_wildcard", "analyzer", "auto_generate_synonyms_phrase_query", "boost",
    "default_operator", "fields", "flags", "fuzzy_max_expansions", "fuzzy_prefix_length",
    "fuzzy_transpositions", "lenient", "minimum_should_match", "quote_field_suffix",
)  # fmt: skip
_COMBINED: Final = (
    "auto_generate_synonyms_phrase_query", "boost", "fields", "minimum_should_match", "operator",
    "zero_terms_query",
)  # fmt: skip


def text(value: object, path: str) -> str:
    """A query's text, which isn't blank."""
    if not checks.text(value, path, MAX_QUERY).strip():
        raise BadRequest("is blank, and a search needs a text", field=path)
    return str(value)


def _of_one_field(options: tuple[str, ...]) -> Reader:
    """`{field: text}` or `{field: {query: text, …}}`."""

    def read(value: object, path: str) -> str:
        name, said = pair(value, path)
        return (
            _said(said, at(path, name), options)
            if isinstance(said, dict)
            else text(said, at(path, name))
        )

    return read


def _of_fields(options: tuple[str, ...]) -> Reader:
    """`{query: text, fields: […], …}`."""

    def read(value: object, path: str) -> str:
        return _said(value, path, options)

    return read


def _said(value: object, path: str, options: tuple[str, ...]) -> str:
    given = only(value, path, ("query", *options))
    return text(given.get("query"), at(path, "query"))


TEXTS: Final[Mapping[str, Reader]] = {
    "match": _of_one_field(_MATCH),
    "match_phrase": _of_one_field(_PHRASE),
    "multi_match": _of_fields(_MULTI),
    "simple_query_string": _of_fields(_SIMPLE),
    "combined_fields": _of_fields(_COMBINED),
}
