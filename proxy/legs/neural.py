"""The neural leg: nearest vectors, the text embedded by a model inside the engine."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.legs.limits import limits, place


@dataclass(frozen=True, slots=True)
class Neural:
    """The documents whose vector in `field` is nearest to what the engine makes of the text.

    `model` is the engine's: the model id of OpenSearch's `neural`, or of the `text_embedding` that
    builds Elasticsearch's query vector.
    """

    backend: str
    index: str
    field: str
    model: str
    window: int = 100
    num_candidates: int = 200
    timeout_ms: int = 300

    def __post_init__(self) -> None:
        place(self.index)
        if not self.model:
            raise ValueError("model: names no model of the engine")
        limits(self.window, self.timeout_ms)
        if self.num_candidates < self.window:
            raise ValueError(
                f"num_candidates: {self.num_candidates} is less than window ({self.window})"
            )
