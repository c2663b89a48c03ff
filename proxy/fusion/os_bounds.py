"""Bounds of OpenSearch's `min_max`: what stands for a leg's lowest and highest score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias

import numpy as np

from proxy.fusion.single import Single
from proxy.fusion.table import SingleArray

Mode: TypeAlias = Literal["apply", "clip", "ignore"]

_FORBID: Final = {"extra": "forbid"}
_FURTHEST: Final = 10_000


@dataclass(frozen=True, slots=True)
class LowerBound:
    """A leg's lowest score, by `mode`.

    `apply` takes `min_score` for what scores above it only; `clip` takes it for all and makes
    what scores below it .001; `ignore` changes nothing.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = _FORBID

    mode: Mode = "apply"
    min_score: float = 0.0

    def __post_init__(self) -> None:
        _check("min_score", self.min_score)

    def lowest(self, scores: SingleArray, low: Single, high: Single) -> SingleArray | Single:
        """What each score is held against, (hits,), or one that all are."""
        bound = Single(self.min_score)
        match self.mode:
            case "apply":
                return np.where((high > bound) & (scores > bound), bound, low)
            case "clip":
                return low if high < bound else bound
            case "ignore":
                return low


@dataclass(frozen=True, slots=True)
class UpperBound:
    """A leg's highest score, by `mode`.

    `apply` takes `max_score` for what scores below it only; `clip` takes it for all and makes
    what scores above it 1; `ignore` changes nothing.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = _FORBID

    mode: Mode = "apply"
    max_score: float = 1.0

    def __post_init__(self) -> None:
        _check("max_score", self.max_score)

    def highest(self, scores: SingleArray, low: Single, high: Single) -> SingleArray | Single:
        """What each score is held against, (hits,), or one that all are."""
        bound = Single(self.max_score)
        match self.mode:
            case "apply":
                return np.where((low < bound) & (scores < bound), bound, high)
            case "clip":
                return high if low > bound else bound
            case "ignore":
                return high


def _check(name: str, score: float) -> None:
    if not -_FURTHEST <= score <= _FURTHEST:
        raise ValueError(f"{name}: {score} is not from -{_FURTHEST} to {_FURTHEST}")
