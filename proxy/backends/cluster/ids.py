"""How documents are named: `_id` where a leg reads one index, `index/_id` where it reads several.

An index's name holds no slash, so the first one ends it, whatever the `_id` holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


def joined(indices: Sequence[str], own: Sequence[str]) -> list[str]:
    """The names of documents of several indices, each by its index and `_id`; none stays none.

    >>> joined(["logs-1", "logs-2"], ["a/b", ""])
    ['logs-1/a/b', '']
    """
    return [f"{index}/{each}" if each else "" for index, each in zip(indices, own, strict=True)]


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
