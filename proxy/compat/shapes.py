"""What JSON looks like to the grammar: each reader returns the value or raises `BadRequest`.

A path names where a value stands, as in `query.bool.must[0].match`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from proxy.errors import BadRequest
from proxy.wire import checks

MAX_FIELD: Final = 256
"""Characters of a field's name."""
MAX_KEY: Final = 60
"""Characters of a client's key that a path repeats."""


def at(path: str, key: str) -> str:
    """The path of a key.

    >>> at("query", "bool"), at("", "size")
    ('query.bool', 'size')
    """
    return f"{path}.{key[:MAX_KEY]}" if path else key[:MAX_KEY]


def only(value: object, path: str, known: Collection[str]) -> Mapping[str, object]:
    """An object whose every key is known."""
    read = checks.mapping(value, path or None)
    for key in read:
        if key not in known:
            raise BadRequest("is not recognised", field=at(path, key), choices=sorted(known))
    return read


def pair(value: object, path: str) -> tuple[str, object]:
    """The one key of an object, and its value."""
    read = checks.mapping(value, path)
    if len(read) != 1:
        raise BadRequest(f"must have one key, not {len(read)}", field=path)
    return next(iter(read.items()))


def clauses(given: Mapping[str, object], key: str, path: str) -> Iterator[tuple[str, object]]:
    """Each (path, clause) under a key that holds one clause or a list of them."""
    value = given.get(key, [])
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield f"{at(path, key)}[{index}]", item
    else:
        yield at(path, key), value


def listed(value: object, path: str, longest: int) -> list[object]:
    """A list of at most `longest` values."""
    if not isinstance(value, list):
        raise BadRequest("must be a list", field=path, value=value)
    if len(value) > longest:
        raise BadRequest(f"has {len(value)} values; {longest} are allowed", field=path)
    return value


def field(value: object, path: str, allowed: Collection[str]) -> str:
    """A field that callers of this route may filter by."""
    if not isinstance(value, str) or value not in allowed:
        raise BadRequest(
            "is no field to filter or count by here", field=path, choices=sorted(allowed)
        )
    return value


def flag(value: object, path: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise BadRequest("must be true or false", field=path, value=value)
    return value
