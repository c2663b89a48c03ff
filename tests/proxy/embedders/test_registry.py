"""The registry of embedders, read from a configuration as the build reads it."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from proxy.embedders.onnx import Onnx
from proxy.embedders.registry import EMBEDDERS


def test_the_yaml_of_an_onnx_embedder_is_its_class() -> None:
    """
    `model: builtin` is the only model, and the default.
    """
    adapter = TypeAdapter(EMBEDDERS["onnx"])

    assert Onnx() == adapter.validate_python({"model": "builtin"})
    with pytest.raises(ValidationError, match="builtin"):
        adapter.validate_python({"model": "e5"})
