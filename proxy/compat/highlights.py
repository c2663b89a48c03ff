"""Which fields are highlighted, and how."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from proxy.compat.shapes import MAX_FIELD, at, only, pair
from proxy.errors import BadRequest
from proxy.model import Highlight, HighlightField
from proxy.wire import checks
from proxy.wire.shown import MAX_HIGHLIGHTS, MAX_TAG, SEARCHED

MAX_FRAGMENT: Final = 1_000
"""Characters of a passage."""
MAX_FRAGMENTS: Final = 20
_OF_FIELDS: Final = ("fragment_size", "number_of_fragments")
_IGNORED: Final = ("require_field_match", "type")
"""Accepted without effect: how an engine goes about it."""


def highlight(value: object, path: str) -> Highlight | None:
    """What is to be highlighted; None without a field."""
    given = only(value, path, ("fields", "pre_tags", "post_tags", *_OF_FIELDS, *_IGNORED))
    where = at(path, "fields")
    named = [
        (name, only(body, at(where, name), (*_OF_FIELDS, *_IGNORED)))
        for name, body in _named(given.get("fields", {}), where)
    ]
    if len(named) > MAX_HIGHLIGHTS:
        raise BadRequest(f"has {len(named)} fields; {MAX_HIGHLIGHTS} are allowed", field=where)
    defaults = HighlightField("")
    shared = _field("", given, path, defaults)
    fields = tuple(_field(name, body, at(where, name), shared) for name, body in named)
    before, after = _tag(given, path, "pre_tags", "<em>"), _tag(given, path, "post_tags", "</em>")
    return Highlight(fields, before, after) if fields else None


def _named(value: object, path: str) -> list[tuple[str, object]]:
    """Fields with their options, whether an object or a list of them holds these."""
    if isinstance(value, list):
        read = [pair(each, f"{path}[{n}]") for n, each in enumerate(value)]
    else:
        read = list(checks.mapping(value, path).items())
    for name, _ in read:
        checks.name(name, at(path, name), MAX_FIELD)
        if "*" in name and name != SEARCHED:
            raise BadRequest("is a pattern; `*` is all of them", field=at(path, name))
    return read


def _field(
    name: str, given: Mapping[str, object], path: str, default: HighlightField
) -> HighlightField:
    size, fragments = given.get("fragment_size"), given.get("number_of_fragments")
    return HighlightField(
        name,
        default.size
        if size is None
        else checks.whole(size, at(path, "fragment_size"), 1, MAX_FRAGMENT),
        default.fragments
        if fragments is None
        else checks.whole(fragments, at(path, "number_of_fragments"), 0, MAX_FRAGMENTS),
    )


def _tag(given: Mapping[str, object], path: str, key: str, default: str) -> str:
    """The one tag, which comes in a list or alone."""
    value = given.get(key)
    if value is None:
        return default
    if isinstance(value, list):
        if len(value) != 1:
            raise BadRequest("must be one tag", field=at(path, key))
        (value,) = value
    return checks.text(value, at(path, key), MAX_TAG)
