"""Retrievers, and knn beside a query: the text they look for, and the filters they share.

How their lists are fused, and which vectors they bring, is the business of the route's pipelines.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, TypeAlias

from proxy.compat import filters
from proxy.compat.queries import Searched, query
from proxy.compat.shapes import at, clauses, listed, only, pair
from proxy.compat.texts import text
from proxy.errors import BadRequest

Reader: TypeAlias = Callable[[object, str, Collection[str]], Searched]
MAX_RETRIEVERS: Final = 16

_KNN: Final = (
    "boost", "field", "filter", "k", "num_candidates", "query_vector", "query_vector_builder",
    "rescore_vector",
)  # fmt: skip
_FUSED: Final = ("fields", "filter", "query", "rank_window_size", "retrievers")


def retriever(value: object, path: str, filterable: Collection[str]) -> Searched:
    """What a retriever looks for."""
    kind, body = pair(value, path)
    if kind not in RETRIEVERS:
        raise BadRequest(
            "is no retriever that is recognised", field=at(path, kind), choices=list(RETRIEVERS)
        )
    return RETRIEVERS[kind](body, at(path, kind), filterable)


def knn(body: object, path: str, filterable: Collection[str]) -> Searched:
    """What a search by vector looks for: the text that its vector is to be made of, if it says."""
    given = only(body, path, _KNN)
    made = None
    if "query_vector_builder" in given:
        where = at(path, "query_vector_builder")
        builder = only(given["query_vector_builder"], where, ("text_embedding",))
        where = at(where, "text_embedding")
        embedding = only(builder.get("text_embedding"), where, ("model_id", "model_text"))
        made = text(embedding.get("model_text"), at(where, "model_text"))
    return Searched(made, filters.all_under(given, "filter", path, filterable))


def joined(parts: Sequence[tuple[str, Searched]]) -> Searched:
    """What parts look for together: the one text, among documents that pass the same filters."""
    texts = [(where, part.text) for where, part in parts if part.text is not None]
    for where, said in texts[1:]:
        if said != texts[0][1]:
            raise BadRequest("looks for another text than the part before it", field=where)
    for where, part in parts[1:]:
        if set(part.filters) != set(parts[0][1].filters):
            raise BadRequest(
                "has other filters than the part before it; they hold for all, or for none",
                field=where,
            )
    return Searched(texts[0][1] if texts else None, parts[0][1].filters if parts else ())


def _standard(body: object, path: str, filterable: Collection[str]) -> Searched:
    given = only(body, path, ("filter", "query"))
    inner = query(given.get("query"), at(path, "query"), filterable)
    also = filters.all_under(given, "filter", path, filterable)
    return Searched(inner.text, (*inner.filters, *also))


def _fused(options: tuple[str, ...]) -> Reader:
    """Lists of several retrievers, fused; each stands alone, or with its weight beside it."""

    def read(body: object, path: str, filterable: Collection[str]) -> Searched:
        given = only(body, path, (*_FUSED, *options))
        listed(given.get("retrievers", []), at(path, "retrievers"), MAX_RETRIEVERS)
        parts = [
            (where, _weighted(item, where, filterable))
            for where, item in clauses(given, "retrievers", path)
        ]
        inner = joined(parts)
        if "query" in given:
            where = at(path, "query")
            said = Searched(text(given["query"], where), inner.filters)
            inner = joined([(where, said), *parts])
        also = filters.all_under(given, "filter", path, filterable)
        return Searched(inner.text, (*inner.filters, *also))

    return read


def _weighted(value: object, path: str, filterable: Collection[str]) -> Searched:
    if isinstance(value, dict) and "retriever" in value:
        value = only(value, path, ("normalizer", "retriever", "weight"))["retriever"]
        path = at(path, "retriever")
    return retriever(value, path, filterable)


RETRIEVERS: Final[Mapping[str, Reader]] = {
    "standard": _standard,
    "knn": knn,
    "rrf": _fused(("rank_constant",)),
    "linear": _fused(("normalizer",)),
}
