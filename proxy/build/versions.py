"""A pipeline's version: a hash of what it computes.

Legs, fusion, rerank and model identity count; names, hosts, credentials and budgets don't, so that
renaming a leg or giving it more time keeps the history of the numbers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any, Final

from proxy.fusion import Fusion
from proxy.legs import Leg
from proxy.model import digest

UNVERSIONED: Final = ("backend", "embedder", "timeout_ms")
"""Fields of a leg that name something or limit it."""


def leg_identity(leg: Leg, backend_kind: str, embedder: str | None) -> bytes:
    """What the leg asks of which kind of engine; `embedder` is the identity of its model."""
    asked = {key: value for key, value in asdict(leg).items() if key not in UNVERSIONED}
    return _hash(type(leg).__name__, backend_kind, embedder, asked)


def version(
    legs: Mapping[str, bytes], fusion: Fusion | None, reranker: tuple[str, int, str | None] | None
) -> str:
    """The version (16 hex digits) of a pipeline of these legs (identity by name).

    `reranker` is its identity, its `top` and its embedder's identity. Weights count by the leg they
    are for, whatever its name; one that isn't given is 1.
    """
    fused = None if fusion is None else (type(fusion).__name__, _nameless(fusion, legs))
    return _hash(sorted(leg.hex() for leg in legs.values()), fused, reranker).hex()


def _nameless(fusion: Fusion, legs: Mapping[str, bytes]) -> Mapping[str, Any]:
    """The fusion's fields, weights by leg identity instead of name."""
    assert is_dataclass(fusion)  # every part is, which a protocol can't say
    fields = asdict(fusion)
    weights = dict(fusion.weights)
    by_leg = sorted((identity.hex(), weights.get(name, 1.0)) for name, identity in legs.items())
    return {**fields, "weights": by_leg}


def _hash(*fields: str | Sequence[Any] | Mapping[str, Any] | None) -> bytes:
    return digest(*(json.dumps(field, sort_keys=True).encode() for field in fields))
