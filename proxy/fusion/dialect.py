"""Dialects: an engine's own fusion, to its last edge and its rounding."""

from __future__ import annotations

from abc import abstractmethod
from typing import TypeAlias

from proxy.fusion.table import LegTable, SingleArray
from proxy.fusion.weights import Weights

Release: TypeAlias = tuple[int, int]
"""An engine's major and minor version."""


class Dialect:
    """A fusion that copies an engine's. A hashable value; its fields have the engine's names.

    It scores a table whole: what engines do is no sum of one form (a mean may leave legs out of
    its divisor), and they round to single precision at every step, which decides ties.
    """

    # No `ABC`, whose isinstance is slow enough to be felt by fusions of the other kind.
    __slots__ = ()

    @property
    @abstractmethod
    def weights(self) -> Weights:
        """How much each leg counts; a leg that isn't named weighs 1."""

    @abstractmethod
    def scores(self, table: LegTable, legs: tuple[str, ...]) -> SingleArray:
        """The score of each document of the table's `places(legs)`, summed in the order given.

        Where single precision overflows they may be infinite or no numbers at all.
        """

    @abstractmethod
    def problems_for(self, version: Release) -> list[str]:
        """Why the engine in this version would refuse the fusion, each as "field: what"."""

    def usable(self, table: LegTable) -> LegTable:
        """The table without the hits that the engine's legs wouldn't collect."""
        return table

    def leg_problems(self, legs: tuple[str, ...]) -> list[str]:
        """What is wrong with the fusion of just these legs, each as "field: what"."""
        return []


def before(version: Release, needed: Release, engine: str, what: str) -> list[str]:
    """The problem that `what` needs a later version, if it does.

    >>> before((2, 19), (3, 0), "OpenSearch", "normalization: z_score")
    ['normalization: z_score needs OpenSearch 3.0 or later']
    """
    major, minor = needed
    return [] if version >= needed else [f"{what} needs {engine} {major}.{minor} or later"]


def of_no_leg(field: str, named: tuple[str, ...], legs: tuple[str, ...]) -> list[str]:
    """The names within a field that aren't those of legs, as problems."""
    choices = ", ".join(sorted(legs))
    return [
        f"{field}: {name!r} is no leg of this pipeline; choices: {choices}"
        for name in named
        if name not in legs
    ]
