"""The techniques of OpenSearch's `combination`: a document's scores in several legs become one.

Each takes scores by leg and document, (legs, documents), 0 where a leg doesn't have a document,
and sums leg after leg in single precision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import numpy as np

from proxy.fusion.combinations import Combination
from proxy.fusion.single import Single
from proxy.fusion.table import SingleArray

Weighed: TypeAlias = tuple[Single, ...]
Combine: TypeAlias = Callable[[SingleArray, Weighed], SingleArray]


def arithmetic_mean(scores: SingleArray, weights: Weighed) -> SingleArray:
    """`Σ w s / Σ w`. A leg that doesn't have the document stays in the divisor; only s < 0 goes."""
    total, divisor = _zeros(scores), _zeros(scores)
    for row, weight in zip(scores, weights, strict=True):
        counted = row >= 0
        np.add(total, row * weight, out=total, where=counted)
        np.add(divisor, weight, out=divisor, where=counted)
    return _divided(total, divisor)


def geometric_mean(scores: SingleArray, weights: Weighed) -> SingleArray:
    """`exp(Σ w ln s / Σ w)` over the legs with s > 0: a leg that is left out costs nothing."""
    total, divisor = _zeros(scores), _zeros(scores)
    for row, weight in zip(scores, weights, strict=True):
        counted = row > 0
        # The logarithm, its product and the sum are double; each sum is then rounded.
        logarithms = np.log(row.astype(np.float64), where=counted, out=np.zeros(row.shape))
        total = (total + np.float64(weight) * logarithms).astype(np.float32)
        np.add(divisor, weight, out=divisor, where=counted)
    means = np.exp(_divided(total, divisor).astype(np.float64)).astype(np.float32)
    return np.where(divisor == 0, Single(0), means)


def harmonic_mean(scores: SingleArray, weights: Weighed) -> SingleArray:
    """`Σ w / Σ (w / s)` over the legs with s > 0: a leg that is left out costs nothing."""
    total, divisor = _zeros(scores), _zeros(scores)
    for row, weight in zip(scores, weights, strict=True):
        counted = row > 0
        np.add(total, weight, out=total, where=counted)
        divisor += np.divide(weight, row, out=_zeros(scores), where=counted)
    return _divided(total, divisor)


def _zeros(scores: SingleArray) -> SingleArray:
    return np.zeros(scores.shape[1], np.float32)


def _divided(total: SingleArray, divisor: SingleArray) -> SingleArray:
    """Their quotient; 0 where nothing was counted."""
    return np.divide(total, divisor, out=np.zeros_like(total), where=divisor > 0)


OS_COMBINATIONS: Final[Mapping[Combination, Combine]] = {
    "arithmetic_mean": arithmetic_mean,
    "geometric_mean": geometric_mean,
    "harmonic_mean": harmonic_mean,
}
