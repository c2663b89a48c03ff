"""How documents are named: `_id` where a leg reads one index, `index/_id` where it reads several.

An index's name holds no slash, so the first one ends it, whatever the `_id` holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def joined(index: str, own: str) -> str:
    """The name of a document of one index among several.

    >>> joined("logs-1", "a/b")
    'logs-1/a/b'
    """
    return f"{index}/{own}"


def by_index(names: Iterable[str]) -> Mapping[str, list[str]]:
    """The `_id`s that names hold, by index; what isn't the name of any document is left out.

    >>> by_index(["logs-1/a/b", "logs-2/c", "logs-1/d", "nowhere"])
    {'logs-1': ['a/b', 'd'], 'logs-2': ['c']}
    """
    found: dict[str, list[str]] = {}
    for name in names:
        index, slash, own = name.partition("/")
        if index and slash and own:
            found.setdefault(index, []).append(own)
    return found
