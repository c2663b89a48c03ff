"""Documents by id: which ones a `_mget` asks for, and what of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from proxy.compat.shapes import at, listed, only
from proxy.compat.sources import sources
from proxy.errors import BadRequest
from proxy.model import Sources
from proxy.wire import checks
from proxy.wire.events import MAX_DOC_ID

MAX_DOCUMENTS: Final = 100


@dataclass(frozen=True, slots=True)
class Lookup:
    """One document that is asked for; `index` None is the path's."""

    index: str | None
    id: str
    sources: Sources


def lookups(body: object, default: Sources) -> list[Lookup]:
    """What a decoded `_mget` body asks for, in its order. Raises `BadRequest`."""
    given = only(body, "", ("docs", "ids"))
    if len(given) != 1:
        raise BadRequest("must hold either ids or docs")
    if "ids" in given:
        ids = listed(given["ids"], "ids", MAX_DOCUMENTS)
        return [Lookup(None, _id(each, f"ids[{n}]"), default) for n, each in enumerate(ids)]
    docs = listed(given["docs"], "docs", MAX_DOCUMENTS)
    return [_lookup(each, f"docs[{n}]", default) for n, each in enumerate(docs)]


def _lookup(value: object, path: str, default: Sources) -> Lookup:
    given = only(value, path, ("_id", "_index", "_source"))
    index = given.get("_index")
    return Lookup(
        None if index is None else checks.name(index, at(path, "_index"), MAX_DOC_ID),
        _id(given.get("_id"), at(path, "_id")),
        sources(given["_source"], at(path, "_source")) if "_source" in given else default,
    )


def _id(value: object, path: str) -> str:
    """An id; engines read a number as its digits."""
    read = str(value) if type(value) is int and abs(value) <= checks.MAX_INT else value
    return checks.name(read, path, MAX_DOC_ID)
