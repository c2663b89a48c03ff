"""What every fusion is: a sum of one form, or the copy of an engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from proxy.fusion.dialect import Dialect
from proxy.fusion.table import FloatArray, LegTable
from proxy.fusion.weights import Weights


class Summed(Protocol):
    """How a document's ranks and scores in several legs make one score. A hashable value.

    The score is `back(Σ factor * value)` over the legs that found the document, in name order. The
    form lets one fusion be computed quickly and many at once, to the same numbers.
    """

    @property
    def weights(self) -> Weights:
        """How much each leg counts; a leg that isn't named weighs 1."""
        ...

    def usable(self, table: LegTable) -> LegTable:
        """The table without the hits that this fusion can't take; their legs are its `bad`."""
        ...

    def factors(self, legs: tuple[str, ...]) -> Sequence[float]:
        """The factor of each leg."""
        ...

    def values(self, table: LegTable, legs: tuple[str, ...]) -> FloatArray:
        """The value of each hit, leg after leg, then 0 for what isn't found: (hits + 1,)."""
        ...

    @property
    def back(self) -> Callable[[FloatArray], FloatArray] | None:
        """What makes sums scores, elementwise, in their order; None where the sum is the score."""
        ...


Fusion: TypeAlias = Summed | Dialect
"""Either way a value: hashable, never changed, and the same for live, shadows and replay."""
