"""A pipeline's version: a hash of what it computes.

Legs, fusion, rerank and model identity count; names, hosts, credentials and budgets don't, so that
renaming a leg or giving it more time keeps the history of the numbers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any, Final, TypeAlias

from proxy.fusion import Fusion
from proxy.legs import Leg
from proxy.legs.pushdown import Pushdown
from proxy.model import digest

Judged: TypeAlias = tuple[str, int, tuple[str, ...], str | None]
UNVERSIONED: Final = ("backend", "embedder", "timeout_ms")
"""Fields of a leg that name something or limit it."""


def leg_identity(leg: Leg, backend_kind: str, embedder: str | None) -> bytes:
    """What the leg asks of which kind of engine; `embedder` is the identity of its model."""
    asked = {key: value for key, value in asdict(leg).items() if key not in UNVERSIONED}
    return _hash(type(leg).__name__, backend_kind, embedder, asked)


def pushed_identity(leg: Pushdown, inner: Mapping[str, bytes]) -> bytes:
    """What the engine is asked to make of the `inner` legs (identity by name), to which depth."""
    rerank = None if leg.rerank is None else asdict(leg.rerank)
    return _hash(version(inner, leg.fusion, None), leg.window, rerank)


def version(legs: Mapping[str, bytes], fusion: Fusion | None, reranker: Judged | None) -> str:
    """The version (16 hex digits) of a pipeline of these legs (identity by name).

    `reranker` is its identity, its `top`, the fields it reads and its embedder's identity. What a
    fusion says of a leg counts by the leg, whatever its name; a weight that isn't given is 1.
    """
    fused = None if fusion is None else (type(fusion).__name__, _nameless(fusion, legs))
    return _hash(sorted(leg.hex() for leg in legs.values()), fused, reranker).hex()


def _nameless(fusion: Fusion, legs: Mapping[str, bytes]) -> Mapping[str, Any]:
    """The fusion's fields, what they say of legs by leg identity instead of name."""
    assert is_dataclass(fusion)  # every part is, which a protocol can't say
    said = {key: _by_leg(value, legs) for key, value in asdict(fusion).items()}
    weights = {**dict.fromkeys(legs, 1.0), **dict(fusion.weights)}
    return {**said, "weights": _by_leg(tuple(weights.items()), legs)}


def _by_leg(value: Any, legs: Mapping[str, bytes]) -> Any:
    """(leg, something) pairs as (identity, something), in order; anything else as it is."""
    match value:
        case ((str(), _), *_) if all(name in legs for name, _ in value):
            return sorted((legs[name].hex(), json.dumps(item)) for name, item in value)
    return value


def _hash(*fields: str | int | Sequence[Any] | Mapping[str, Any] | None) -> bytes:
    return digest(*(json.dumps(field, sort_keys=True).encode() for field in fields))
