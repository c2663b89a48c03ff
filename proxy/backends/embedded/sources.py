"""A part of a document, by paths and patterns, as Elasticsearch filters `_source`.

A path names a field within objects (`author.name`), whatever lists stand between; what it names
comes whole. `*` stands for any characters, dots too. Of what nothing is left there is no trace.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, TypeAlias

import msgspec

from proxy.errors import BackendError
from proxy.model import Sources

Pattern: TypeAlias = re.Pattern[str]

_ANY: Final = re.compile(r".*", re.DOTALL)
_NONE: Final = re.compile(r"(?!)")
_object: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_list: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode


def shown(source: bytes, wanted: Sources) -> bytes | None:
    """What is wanted of a document; its values stay as they are written. None for nothing.

    Raises BackendError for a document that is nested too deep to be looked through.
    """
    if wanted.include is None and not wanted.exclude:
        return source
    if wanted.include == ():
        return None
    include = _ANY if wanted.include is None else pattern(wanted.include)
    exclude = pattern(wanted.exclude) if wanted.exclude else _NONE
    try:
        return msgspec.json.encode(_part(source, "", include, exclude))
    except RecursionError as exc:
        raise BackendError("a document is nested too deep for a part of it to be shown") from exc


@lru_cache(maxsize=256)
def pattern(paths: tuple[str, ...]) -> Pattern:
    """Matches a path that one of the patterns is."""
    return re.compile("|".join(map(_expression, paths)), re.DOTALL)


def _expression(path: str) -> str:
    """What stands between stars is looked for once each, leftmost: no path takes long to refuse."""
    first, *rest = map(re.escape, path.split("*"))
    if not rest:
        return first
    *middle, last = rest
    return "".join([first, *(f"(?>.*?{piece})" for piece in middle if piece), ".*", last])


def _part(source: bytes, above: str, include: Pattern, exclude: Pattern) -> dict[str, msgspec.Raw]:
    """The wanted keys of an object that stands at the path `above`."""
    found = {}
    for key, value in _object(source).items():
        path = f"{above}{key}"
        if not exclude.fullmatch(path):
            kept = _kept(bytes(value), path, include, exclude)
            if kept is not None:
                found[key] = msgspec.Raw(kept)
    return found


def _kept(value: bytes, path: str, include: Pattern, exclude: Pattern) -> bytes | None:
    """What is wanted of the value at `path`, itself not excluded; None for nothing."""
    named = include.fullmatch(path) is not None
    if named:
        include = _ANY
        if exclude is _NONE:
            return value
    left: object = None
    match value[:1]:
        case b"{":
            left = _part(value, f"{path}.", include, exclude)
        case b"[":
            items = (_kept(bytes(item), path, include, exclude) for item in _list(value))
            left = [msgspec.Raw(item) for item in items if item is not None]
    if left:
        return msgspec.json.encode(left)
    bare = left is None or not value[1:-1].strip()
    return value if named and bare else None
