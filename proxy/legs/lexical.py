"""The lexical leg: BM25 over several fields."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.legs.limits import limits, place


@dataclass(frozen=True, slots=True)
class Lexical:
    """Elasticsearch's `multi_match` of type `best_fields`.

    A document scores its best field's score plus `tie_breaker` times the others.

    `fields` may carry boosts (`title^3`). `window` is how many documents it brings.
    """

    backend: str
    index: str
    fields: tuple[str, ...]
    window: int = 100
    timeout_ms: int = 300
    tie_breaker: float = 0.0

    def __post_init__(self) -> None:
        place(self.index)
        if not self.fields:
            raise ValueError("fields: names no field to search")
        if not 0 <= self.tie_breaker <= 1:
            raise ValueError(f"tie_breaker: {self.tie_breaker} is not within 0 and 1")
        limits(self.window, self.timeout_ms)
