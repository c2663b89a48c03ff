"""The kinds of reranker: `kind` in the configuration picks the class, its fields are the schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from proxy.rerankers.cohere import Cohere
from proxy.rerankers.cross_encoder import CrossEncoder
from proxy.rerankers.embedding import Embedding
from proxy.rerankers.jina import Jina
from proxy.rerankers.tei import Tei
from proxy.rerankers.voyage import Voyage

Recipe: TypeAlias = Cohere | CrossEncoder | Embedding | Jina | Tei | Voyage

RERANKERS: Mapping[str, type[Recipe]] = {
    "cohere": Cohere,
    "embedding": Embedding,
    "jina": Jina,
    "onnx": CrossEncoder,
    "tei": Tei,
    "voyage": Voyage,
}
