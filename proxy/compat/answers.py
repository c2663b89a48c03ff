"""Answers in the engine's shape, documents spliced in as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from proxy.backends import Document
from proxy.compat.kept import kept
from proxy.compat.parameters import Form
from proxy.model import Facet, HistogramFacet, MetricFacet, RangeFacet
from proxy.served import Served

SHARDS: Final = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
EMPTY: Final = msgspec.Raw(b"{}")
_encoder = msgspec.json.Encoder()
_named = msgspec.json.Decoder(dict[str, msgspec.Raw])


def encoded(value: object, form: Form) -> bytes:
    """An answer as JSON, cut to what the client wants of it."""
    raw = _encoder.encode(value)
    return _encoder.encode(kept(msgspec.json.decode(raw), form.paths)) if form.paths else raw


def page(
    served: Served, index: str, seconds: float, form: Form, *, counts: bool
) -> dict[str, object]:
    """A served page. What of it was degraded stands in `ext.shadowrank`."""
    answer = served.answer
    ext: dict[str, object] = {}
    if served.logged:
        ext["ubi"] = {"query_id": served.query.id}
    if answer.degraded:
        ext["shadowrank"] = {"degraded": answer.degraded}
    hits: dict[str, object] = {"total": _total(served, form)} if counts else {}
    hits["max_score"] = answer.ranked.scores[0] if served.page.ids else None
    hits["hits"] = _hits(served, index)
    said: dict[str, object] = {
        "took": round(1000 * seconds),
        "timed_out": any(each.reason == "timeout" for each in answer.degraded),
        "_shards": SHARDS,
        "hits": hits,
    }
    if answer.facets is not None:
        said["aggregations"] = _facets(answer.facets, served.query.counting.facets, form)
    return {**said, "ext": ext} if ext else said


def count(served: Served) -> dict[str, object]:
    """How many documents match."""
    return {"count": served.answer.total or 0, "_shards": SHARDS}


def document(doc_id: str, index: str, found: Document | None) -> dict[str, object]:
    """A document by its id, found or not."""
    said: dict[str, object] = {"_index": index, "_id": doc_id, "found": found is not None}
    if found is not None and found.source is not None:
        said["_source"] = msgspec.Raw(found.source)
    return said


def degraded(served: Served) -> str:
    """The stages that were degraded, for a header; empty if all is well."""
    return ", ".join(f"{each.stage}={each.reason}" for each in served.answer.degraded)


def _total(served: Served, form: Form) -> object:
    """How many match. Those that only vectors found match no text, so that a page can hold more
    than the primary leg counts.
    """
    answer = served.answer
    listed = 0 if answer.at_least or not served.query.size else len(answer.ranked)
    value = max(answer.total or 0, listed)
    exact = value == answer.total and not answer.at_least
    return value if form.total_as_int else {"value": value, "relation": "eq" if exact else "gte"}


def _hits(served: Served, index: str) -> list[dict[str, object]]:
    shows = served.query.sources.include != ()
    leg_index = served.route.plan.primary[1].index
    hits = []
    for doc_id, score in zip(served.page.ids, served.page.scores, strict=True):
        document = served.documents.get(doc_id)
        held = index if document is None or document.index is None else document.index
        hit: dict[str, object] = {"_index": held, "_id": doc_id, "_score": score}
        # Where several indices are read, an id is `index/_id`; where one is, it is what it is.
        if held != leg_index and doc_id.startswith(f"{held}/"):
            hit["_id"] = doc_id[len(held) + 1 :]
        if shows:
            source = None if document is None else document.source
            hit["_source"] = EMPTY if source is None else msgspec.Raw(source)
        if document is not None and document.highlight is not None:
            hit["highlight"] = msgspec.Raw(document.highlight)
        hits.append(hit)
    return hits


def _facets(raw: bytes, asked: Sequence[Facet], form: Form) -> object:
    """The engine's aggregations, named with their types for clients that ask for it."""
    if not form.typed_keys:
        return msgspec.Raw(raw)
    made = _named.decode(raw)
    return {
        f"{_kind(each, made)}#{each.name}": made[each.name] for each in asked if each.name in made
    }


def _kind(facet: Facet, made: Mapping[str, msgspec.Raw]) -> str:
    """What engines call an aggregation; one of terms is called after its keys."""
    match facet:
        case MetricFacet():
            return facet.metric
        case RangeFacet():
            return "range"
        case HistogramFacet():
            return "date_histogram" if isinstance(facet.interval, str) else "histogram"
    buckets = msgspec.json.decode(made[facet.name]).get("buckets", [])
    keys = {type(bucket.get("key")) for bucket in buckets}
    return "dterms" if float in keys else "lterms" if int in keys else "sterms"
