"""The lexical leg: BM25 over several fields."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lexical:
    """Elasticsearch's `multi_match` of type `best_fields`: the best field's score plus `tie_breaker` times the others.

    `fields` may carry boosts (`title^3`). `window` is how many documents it brings.
    """

    backend: str
    index: str
    fields: tuple[str, ...]
    window: int = 100
    timeout_ms: int = 300
    tie_breaker: float = 0.0
