"""The kinds of reranker: `kind` in the configuration picks the class, its fields are the schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from proxy.rerankers.embedding import Embedding

Recipe: TypeAlias = Embedding

RERANKERS: Mapping[str, type[Recipe]] = {"embedding": Embedding}
