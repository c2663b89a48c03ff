"""The sparse leg: terms with weights, made by a model inside the engine."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.legs.limits import limits, place


@dataclass(frozen=True, slots=True)
class Sparse:
    """The documents whose weighted terms in `field` are nearest to those of the text.

    `model` is the engine's: the inference endpoint of Elasticsearch's `sparse_vector`, the model id
    of OpenSearch's `neural_sparse`.
    """

    backend: str
    index: str
    field: str
    model: str
    window: int = 100
    timeout_ms: int = 300

    def __post_init__(self) -> None:
        place(self.index)
        if not self.model:
            raise ValueError("model: names no model of the engine")
        limits(self.window, self.timeout_ms)
