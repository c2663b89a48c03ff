"""The knn leg: the nearest vectors."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.legs.limits import limits, place


@dataclass(frozen=True, slots=True)
class Knn:
    """The `window` documents whose vector in `field` is nearest to the query's.

    `embedder` names who makes the query's vector; None where every request brings its own.
    `num_candidates` is what an approximate engine examines; exact engines ignore it.
    """

    backend: str
    index: str
    field: str
    embedder: str | None = None
    window: int = 100
    num_candidates: int = 200
    timeout_ms: int = 300

    def __post_init__(self) -> None:
        place(self.index)
        limits(self.window, self.timeout_ms)
        if self.num_candidates < self.window:
            raise ValueError(
                f"num_candidates: {self.num_candidates} is less than window ({self.window})"
            )
