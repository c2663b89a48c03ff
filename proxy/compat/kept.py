"""What `filter_path` keeps of an answer: paths whose parts may be patterns."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final, TypeAlias

Path: TypeAlias = tuple[str, ...]
NOTHING: Final = object()


def kept(value: object, paths: Iterable[Path]) -> object:
    """The parts of a decoded value that one of the paths leads to; lists don't count as steps.

    >>> kept({"took": 3, "hits": {"total": 1, "hits": [{"_id": "a", "_score": 1}]}},
    ...      [("hits", "hits", "_id"), ("to*",)])
    {'took': 3, 'hits': {'hits': [{'_id': 'a'}]}}
    """
    found = _kept(value, frozenset(paths))
    return {} if found is NOTHING else found


def _kept(value: object, paths: frozenset[Path]) -> object:
    if () in paths:
        return value
    match value:
        case dict():
            named = {key: _kept(inner, _beyond(key, paths)) for key, inner in value.items()}
            return {key: inner for key, inner in named.items() if inner is not NOTHING} or NOTHING
        case list():
            each = [found for inner in value if (found := _kept(inner, paths)) is not NOTHING]
            return each or NOTHING
    return NOTHING


def _beyond(key: str, paths: frozenset[Path]) -> frozenset[Path]:
    """What is left of the paths after a step to a key."""
    return frozenset(path[1:] for path in paths if fnmatchcase(key, path[0]))
