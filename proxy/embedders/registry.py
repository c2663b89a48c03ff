"""The kinds of embedder: `kind` in the configuration picks the class, its fields are the schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from proxy.embedders.onnx import Onnx

Recipe: TypeAlias = Onnx

EMBEDDERS: Mapping[str, type[Recipe]] = {"onnx": Onnx}
