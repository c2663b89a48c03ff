"""One leg as a clause of a query, or as Elasticsearch's `knn` section; its filters pushed in."""

from __future__ import annotations

from typing import assert_never

import msgspec

from proxy.backends import Question
from proxy.backends.cluster.requests.filters import clauses, within
from proxy.backends.cluster.requests.target import Engine, Json
from proxy.errors import NotAsked
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.legs.neural import Neural
from proxy.legs.pushdown import Inner
from proxy.legs.sparse import Sparse
from proxy.legs.template import Template


def asked(engine: Engine, leg: Inner, question: Question, k: int) -> Json:
    """The leg as `{"query": …}` or, for Elasticsearch's vectors, `{"knn": …}`; `k` hits."""
    filters = clauses(question.filters)
    if isinstance(leg, Knn | Neural):
        if engine.elastic:
            return {"knn": _section(leg, question, k, filters)}
        return {"query": _nearest(engine, leg, question, k, filters)}
    return {"query": within(matching(engine, leg, question.text), filters)}


def matching(engine: Engine, leg: Lexical | Template | Sparse, text: str) -> object:
    """What scores documents by their text, without any filter."""
    match leg:
        case Lexical():
            return {
                "multi_match": {
                    "query": text,
                    "type": "best_fields",
                    "fields": list(leg.fields),
                    "tie_breaker": leg.tie_breaker,
                }
            }
        case Template():
            return msgspec.Raw(leg.filled(text).encode())
        case Sparse():
            return _sparse(engine, leg, text)
    assert_never(leg)


def _sparse(engine: Engine, leg: Sparse, text: str) -> Json:
    if not engine.elastic:
        return {"neural_sparse": {leg.field: {"query_text": text, "model_id": leg.model}}}
    if engine.version < (8, 15):  # before `sparse_vector` there was this
        return {"text_expansion": {leg.field: {"model_text": text, "model_id": leg.model}}}
    return {"sparse_vector": {"field": leg.field, "inference_id": leg.model, "query": text}}


def _section(leg: Knn | Neural, question: Question, k: int, filters: list[Json]) -> Json:
    """Elasticsearch's `knn`, the same in a search and in a retriever."""
    section: Json = {"field": leg.field, "k": k, "num_candidates": max(k, leg.num_candidates)}
    if isinstance(leg, Knn):
        section["query_vector"] = vector_of(leg, question)
    else:
        built = {"model_id": leg.model, "model_text": question.text}
        section["query_vector_builder"] = {"text_embedding": built}
    if filters:
        section["filter"] = filters
    return section


def _nearest(
    engine: Engine, leg: Knn | Neural, question: Question, k: int, filters: list[Json]
) -> Json:
    """OpenSearch's `knn` or `neural`. What an approximate engine examines is its `ef_search`."""
    how: Json = {"k": k}
    if filters:
        how["filter"] = {"bool": {"filter": filters}}
    if engine.version >= (2, 16):
        how["method_parameters"] = {"ef_search": max(k, leg.num_candidates)}
    if isinstance(leg, Knn):
        return {"knn": {leg.field: {"vector": vector_of(leg, question), **how}}}
    named = {"query_text": question.text, "model_id": leg.model}
    return {"neural": {leg.field: {**named, **how}}}


def vector_of(leg: Knn, question: Question) -> list[float]:
    """The question's vector. Raises NotAsked if it has none."""
    if question.vector is None:
        raise NotAsked(f"no vector to search {leg.field!r} with", reason="no_vector")
    vector: list[float] = question.vector.tolist()
    return vector
