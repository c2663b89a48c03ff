"""The template leg: any query of the engine's own, with the text put in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from proxy.legs.limits import limits, place

TEXT: Final = "{{query}}"
"""What stands for the text of the search, inside a JSON string."""


@dataclass(frozen=True, slots=True)
class Template:
    """The documents that `query` finds: a query of the engine as JSON, `{{query}}` for the text.

    The text is put in as JSON escapes it, so that it can't end the string that it stands in.
    """

    backend: str
    index: str
    query: str
    window: int = 100
    timeout_ms: int = 300

    def __post_init__(self) -> None:
        place(self.index)
        if TEXT not in self.query:
            raise ValueError(f"query: names no {TEXT}, so every search would find the same")
        try:
            clause = json.loads(self.query, parse_constant=_no_number, object_pairs_hook=_each_once)
        except ValueError as exc:
            raise ValueError(f"query: is not JSON: {exc}") from None
        if not isinstance(clause, dict) or len(clause) != 1:
            raise ValueError("query: is not a JSON object with one key, the kind of query")
        if TEXT in json.dumps(_without_strings(clause)):
            raise ValueError(f"query: {TEXT} stands in a key; it belongs inside a value")
        limits(self.window, self.timeout_ms)

    def filled(self, text: str) -> str:
        """The query for `text`, as JSON.

        >>> Template("main", "faq", '{"match": {"title": "{{query}}"}}').filled('5" disk')
        '{"match": {"title": "5\\\\" disk"}}'
        """
        return self.query.replace(TEXT, json.dumps(text, ensure_ascii=False)[1:-1])


def _no_number(value: str) -> float:
    raise ValueError(f"{value} is no number of it")


def _each_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"a key stands twice among {sorted(found)}")
    return found


def _without_strings(value: object) -> object:
    """The value with its texts emptied: what is left of the placeholder stands in a key."""
    match value:
        case dict():
            return {key: _without_strings(item) for key, item in value.items()}
        case list():
            return [_without_strings(item) for item in value]
        case str():
            return ""
    return value
