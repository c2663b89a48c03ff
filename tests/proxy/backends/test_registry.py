"""The registry of backends, read from a configuration as the build reads it."""

from __future__ import annotations

import json

import pytest
from pydantic import TypeAdapter

from config.errors import ConfigError
from config.schema import Part
from proxy.backends.registry import BACKENDS
from proxy.build.making import make


def test_the_yaml_of_an_embedded_backend_is_its_class() -> None:
    """
    Nested mappings become frozen values; the result is hashable.
    """
    field = {"type": "text", "analyzer": "english"}
    options = {"indices": {"faq": {"corpus": "faq.jsonl", "fields": {"question": field}}}}

    recipe = TypeAdapter(BACKENDS["embedded"]).validate_python(options)

    assert hash(recipe) == hash(TypeAdapter(BACKENDS["embedded"]).validate_python(options))
    assert "english" == dict(dict(recipe.indices)["faq"].fields)["question"].analyzer


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("opensearch", {"aws": {"region": "eu-west-1", "service": "aoss"}, "id_field": "id"}),
        ("opensearch", {"username_env": "U", "password_env": "P", "ca_file": "ca.pem"}),
        ("elasticsearch", {"api_key_env": "K", "fingerprint": "ab" * 32, "refresh": 10}),
    ],
)
def test_the_yaml_of_a_cluster_is_its_class(kind: str, options: dict[str, object]) -> None:
    """
    Options of both engines and of each; the result is hashable.
    """
    part = Part.model_validate_json(
        json.dumps({"kind": kind, "hosts": ["https://a:9200"], **options})
    )

    made = make("backends.main", part, BACKENDS)

    assert made == make("backends.main", part, BACKENDS)
    assert hash(made) == hash(make("backends.main", part, BACKENDS))
    assert ("https://a:9200",) == made.hosts  # type: ignore[union-attr]


def test_what_a_cluster_contradicts_itself_in_has_its_place() -> None:
    """
    As every other problem of the file.
    """
    part = Part.model_validate_json(json.dumps({"kind": "opensearch", "hosts": ["es"]}))

    with pytest.raises(ConfigError, match=r"backends\.main\.hosts\.0: 'es' is no URL"):
        make("backends.main", part, BACKENDS)
