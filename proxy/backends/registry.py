"""The kinds of backend: `kind` in the configuration picks the class, its fields are the schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from proxy.backends.elasticsearch import Elasticsearch
from proxy.backends.embedded import Embedded
from proxy.backends.opensearch import OpenSearch

Recipe: TypeAlias = Elasticsearch | Embedded | OpenSearch

BACKENDS: Mapping[str, type[Recipe]] = {
    "elasticsearch": Elasticsearch,
    "embedded": Embedded,
    "opensearch": OpenSearch,
}
