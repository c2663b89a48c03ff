"""Searches and counts: ids and scores, totals and facets, never a document."""

from __future__ import annotations

from typing import Final

from proxy.backends import Question
from proxy.backends.cluster.requests.facets import aggregations
from proxy.backends.cluster.requests.hybrid import hybrid
from proxy.backends.cluster.requests.queries import asked
from proxy.backends.cluster.requests.retrievers import deepest, retriever
from proxy.backends.cluster.requests.target import Engine, Json, Reach, Request, search_request
from proxy.legs import Leg
from proxy.legs.pushdown import Pushdown
from proxy.model import Counting

LOUD: Final = {"ignore_unavailable": "false", "allow_no_indices": "false"}
"""An index, an alias or a pattern that names nothing is an error, and no empty answer."""
PARTIAL: Final = {**LOUD, "allow_partial_search_results": "true"}
"""What some shards found is better than nothing; the answer says how many failed."""
EXACTLY: Final = 2**31 - 1
"""The engines count to any number below; from here on there is no bound."""


def search_body(
    engine: Engine,
    reach: Reach,
    leg: Leg,
    question: Question,
    timeout_ms: int,
    size: int | None = None,
) -> Request:
    """The leg's `window` (or `size`) best documents: ids and scores, and what is to be counted.

    A pushed down pipeline is fused as deep as its `window`, whatever the size.
    """
    depth = leg.window if size is None else size
    params = PARTIAL
    match leg:
        case Pushdown() if engine.elastic:
            body: Json = {"retriever": retriever(engine, leg, question)}
            depth = min(depth, deepest(leg))
            params = LOUD  # compound retrievers refuse the other, and a failed child fails them
        case Pushdown():
            body = hybrid(engine, leg, question)
            depth = min(depth, leg.window)
        case _:
            body = asked(engine, leg, question, depth)
    body.update(_named(reach))
    return _search(reach, body, depth, question.counting, timeout_ms, params)


def count_body(
    engine: Engine, reach: Reach, leg: Leg, question: Question, timeout_ms: int
) -> Request:
    """What `search_body` would count, without any document."""
    inner = [each for _, each in leg.legs] if isinstance(leg, Pushdown) else [leg]
    parts = [asked(engine, each, question, leg.window) for each in inner]
    body = parts[0] if len(parts) == 1 else _either(parts)
    return _search(reach, body, 0, question.counting or Counting(), timeout_ms, PARTIAL)


def _search(
    reach: Reach,
    body: Json,
    size: int,
    counting: Counting | None,
    timeout_ms: int,
    params: dict[str, str],
) -> Request:
    body.update(_counted(counting), size=size, timeout=f"{timeout_ms}ms")
    return search_request(reach, body, params)


def _either(parts: list[Json]) -> Json:
    """What any of the legs finds: their queries in one, beside their `knn` sections."""
    queries = [part["query"] for part in parts if "query" in part]
    sections = [part["knn"] for part in parts if "knn" in part]
    body: Json = {"knn": sections} if sections else {}
    if queries:
        body["query"] = {"bool": {"should": queries, "minimum_should_match": 1}}
    return body


def _counted(counting: Counting | None) -> Json:
    """How far matches are counted, and the facets; counting nothing is cheaper."""
    if counting is None:
        return {"track_total_hits": False}
    upto = counting.upto
    tracked: Json = {"track_total_hits": True if upto >= EXACTLY else upto or False}
    if counting.facets:
        tracked["aggregations"] = aggregations(counting.facets)
    return tracked


def _named(reach: Reach) -> Json:
    """Ids alone, from doc values where there is a copy: reading stored fields is what costs."""
    if reach.id_field is None:
        return {"_source": False}
    return {"stored_fields": "_none_", "docvalue_fields": [{"field": reach.id_field}]}
