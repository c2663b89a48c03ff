"""The registry of backends, read from a configuration as the build reads it."""

from __future__ import annotations

from pydantic import TypeAdapter

from proxy.backends.registry import BACKENDS


def test_the_yaml_of_an_embedded_backend_is_its_class() -> None:
    """
    Nested mappings become frozen values; the result is hashable.
    """
    field = {"type": "text", "analyzer": "english"}
    options = {"indices": {"faq": {"corpus": "faq.jsonl", "fields": {"question": field}}}}

    recipe = TypeAdapter(BACKENDS["embedded"]).validate_python(options)

    assert hash(recipe) == hash(TypeAdapter(BACKENDS["embedded"]).validate_python(options))
    assert "english" == dict(dict(recipe.indices)["faq"].fields)["question"].analyzer
