"""A URL's parameters: those that say what a body could say, and those that shape the answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from proxy.compat.shapes import MAX_FIELD, listed
from proxy.errors import BadRequest
from proxy.wire import checks

Parameters: TypeAlias = Mapping[str, list[str]]

IGNORED: Final = (
    "allow_no_indices", "allow_partial_search_results", "batched_reduce_size",
    "ccs_minimize_roundtrips", "error_trace", "expand_wildcards", "human", "ignore_throttled",
    "ignore_unavailable", "max_concurrent_searches", "max_concurrent_shard_requests",
    "pre_filter_shard_size", "preference", "pretty", "realtime", "refresh", "request_cache",
    "search_type", "timeout", "track_scores",
)  # fmt: skip
"""Accepted without effect: how a cluster goes about it."""
SHAPING: Final = ("filter_path", "rest_total_hits_as_int", "typed_keys")
OF_SOURCE: Final = ("_source", "_source_excludes", "_source_includes")
OF_PAGE: Final = ("from", "size", "sort", "track_total_hits")
CURSORS: Final = (
    "scrolls and points in time are not served: pages are cut from one ranking, with `from` and "
    "`size`"
)
REASONS: Final = {
    "scroll": CURSORS,
    "q": "a search comes as a body, in the query DSL",
    "source": "a search comes as a body, in the query DSL",
    "routing": "a route searches all of its index",
}
MAX_PATHS: Final = 10
_INTEGER: Final = re.compile(r"[0-9]{1,10}")
_FLAGS: Final = {"": True, "true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Form:
    """How an answer is shaped: aggregations named with their types, a total as a number, and only
    what `paths` keep of it, where there are any.
    """

    typed_keys: bool = False
    total_as_int: bool = False
    paths: tuple[tuple[str, ...], ...] = ()


def known(given: Parameters, *more: str) -> Mapping[str, str]:
    """Parameters, each once, that are ignored, shape the answer, or are among `more`."""
    choices = (*IGNORED, *SHAPING, *more)
    for key, values in given.items():
        if key in REASONS and key not in more:
            raise BadRequest(REASONS[key], field=f"?{key}")
        if key not in choices:
            where = f"?{key[:MAX_FIELD]}"
            raise BadRequest("is not recognised", field=where, choices=sorted(choices))
        if len(values) > 1:
            raise BadRequest("is given more than once", field=f"?{key}")
    return {key: values[0] for key, values in given.items()}


def form(given: Mapping[str, str]) -> Form:
    """How the answer is to be shaped."""
    kept = [path for path in given.get("filter_path", "").split(",") if path]
    for path in listed(kept, "?filter_path", MAX_PATHS):
        said = str(path)
        # What descends everywhere would look at every field of every document, for every path.
        if len(said) > MAX_FIELD or "**" in said or not set(said).isdisjoint("-[]?"):
            raise BadRequest("is no path of what is to be kept", field="?filter_path", value=path)
    return Form(
        _flag(given, "typed_keys"),
        _flag(given, "rest_total_hits_as_int"),
        tuple(tuple(path.split(".")) for path in kept),
    )


def said(given: Mapping[str, str]) -> Mapping[str, object]:
    """What parameters say that a body could have said, as a body says it; they win over one."""
    read: dict[str, object] = {}
    for key in ("size", "from"):
        if key in given:
            read[key] = _number(given[key], key)
    if "track_total_hits" in given:
        counted = given["track_total_hits"]
        read["track_total_hits"] = (
            _FLAGS[counted] if counted in _FLAGS else _number(counted, "track_total_hits")
        )
    if "sort" in given:
        read["sort"] = [_order(each) for each in given["sort"].split(",")]
    if not given.keys().isdisjoint(OF_SOURCE):
        read["_source"] = source(given)
    return read


def source(given: Mapping[str, str]) -> object:
    """What `_source` and the two beside it say, as a body says it; None if nothing."""
    shown = given.get("_source")
    if shown in _FLAGS and given.keys().isdisjoint(OF_SOURCE[1:]):
        return _FLAGS[str(shown)]
    included = given.get("_source_includes", None if shown in _FLAGS else shown)
    excluded = given.get("_source_excludes")
    if included is None and excluded is None:
        return None
    return {"includes": _patterns(included), "excludes": _patterns(excluded)}


def merged(body: object, given: Mapping[str, str]) -> object:
    """The body with what parameters say in its place."""
    return {**body, **said(given)} if isinstance(body, dict) else body


def header(value: object, where: str, allowed: Collection[str]) -> Mapping[str, object]:
    """The header of one search among several."""
    read = checks.mapping(value, where)
    for key in read:
        if key not in (*allowed, *IGNORED):
            raise BadRequest("is not recognised", field=f"{where}.{key[:MAX_FIELD]}")
    return read


def _flag(given: Mapping[str, str], key: str) -> bool:
    value = given.get(key, "false")
    if value not in _FLAGS:
        raise BadRequest("must be true or false", field=f"?{key}", value=value)
    return _FLAGS[value]


def _number(value: str, key: str) -> int:
    if not _INTEGER.fullmatch(value):
        raise BadRequest("must be a whole number", field=f"?{key}", value=value)
    return int(value)


def _order(value: str) -> object:
    name, colon, order = value.partition(":")
    return {name: order} if colon else name


def _patterns(value: str | None) -> list[str]:
    return [] if value is None else [each for each in value.split(",") if each]
