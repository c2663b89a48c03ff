"""Searches and counts: ids and scores, totals and facets, never a document."""

from __future__ import annotations

from typing import Final

from proxy.backends import Question
from proxy.backends.cluster.requests.facets import aggregations
from proxy.backends.cluster.requests.queries import asked
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
    """The leg's `window` (or `size`) best documents: ids and scores, and what is to be counted."""
    depth = leg.window if size is None else size
    if isinstance(leg, Pushdown):
        raise ValueError("fusion: is fused by this proxy")
    body = asked(engine, leg, question, depth)
    body.update(_named(reach), size=depth, timeout=f"{timeout_ms}ms", **counted(question.counting))
    return search_request(reach, body, PARTIAL)


def count_body(
    engine: Engine, reach: Reach, leg: Leg, question: Question, timeout_ms: int
) -> Request:
    """What `search_body` would count, without any document."""
    if isinstance(leg, Pushdown):
        raise ValueError("fusion: is fused by this proxy")
    body = asked(engine, leg, question, leg.window)
    counting = counted(question.counting or Counting())
    body.update(size=0, timeout=f"{timeout_ms}ms", **counting)
    return search_request(reach, body, PARTIAL)


def counted(counting: Counting | None) -> Json:
    """How far matches are counted, and the facets; counting nothing is cheaper."""
    if counting is None:
        return {"track_total_hits": False}
    upto = counting.upto
    tracked: Json = {"track_total_hits": True if upto >= EXACTLY else upto or False}
    if counting.facets:
        tracked["aggs"] = aggregations(counting.facets)
    return tracked


def _named(reach: Reach) -> Json:
    """Ids alone, from doc values where there is a copy: reading stored fields is what costs."""
    if reach.id_field is None:
        return {"_source": False}
    return {"stored_fields": "_none_", "docvalue_fields": [reach.id_field]}
