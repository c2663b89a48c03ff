"""What the tests of requests share: the published schema of Elasticsearch's search."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from proxy.backends.cluster.requests import Request

SCHEMA = Path(__file__).parents[4] / "schemas" / "elasticsearch-search.openapi.json"
Check = Callable[[Request], Any]


@pytest.fixture(scope="session")
def valid() -> Check:
    """The body of a request for Elasticsearch; fails if the published schema doesn't allow it."""
    document = json.loads(SCHEMA.read_text(), object_hook=_any_of)
    search = document["components"]["requestBodies"]["search"]["content"]["application/json"]
    search["schema"]["unevaluatedProperties"] = False
    _close(document["components"]["schemas"])
    reference = "#/components/requestBodies/search/content/application~1json/schema"
    validator = Draft202012Validator({"$ref": reference, "components": document["components"]})

    def check(request: Request) -> Any:
        body = json.loads(request.body)
        wrong = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(body)]
        assert [] == wrong
        return body

    return check


def _any_of(schema: dict[str, Any]) -> dict[str, Any]:
    """Alternatives overlap (a string, or a string that may be null), so one need not be alone."""
    return {"anyOf" if key == "oneOf" else key: value for key, value in schema.items()}


def _close(schemas: dict[str, Any]) -> None:
    """Let no object have keys that its schema doesn't name: what is misspelt isn't valid then."""
    extended = {
        part["$ref"].rpartition("/")[2]
        for schema in schemas.values()
        for part in schema.get("allOf", ())
        if "$ref" in part
    }
    # "One of these keys" is written as a bound on all keys of the object, those of other parts too.
    either = schemas["_types.query_dsl.SparseVectorQuery"]["allOf"][1]["allOf"][1]
    del either["minProperties"], either["maxProperties"]
    unnamed = {"_types.query_dsl.TermsQuery"}  # its key is the field's name, which isn't written
    for name, schema in schemas.items():
        if name not in extended | unnamed and ({"properties", "allOf"} & schema.keys()):
            schema["unevaluatedProperties"] = False
