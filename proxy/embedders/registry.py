"""The kinds of embedder: `kind` in the configuration picks the class, its fields are the schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from proxy.embedders.cohere import Cohere
from proxy.embedders.onnx import Onnx
from proxy.embedders.openai import OpenAI
from proxy.embedders.tei import Tei

Recipe: TypeAlias = Onnx | OpenAI | Cohere | Tei

EMBEDDERS: Mapping[str, type[Recipe]] = {
    "cohere": Cohere,
    "onnx": Onnx,
    "openai": OpenAI,
    "tei": Tei,
}
