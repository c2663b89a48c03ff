"""Dialects over whole tables."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan

import numpy as np
import pytest

from proxy.fusion import Dialect, ElasticsearchRRF, LegTable, OpenSearchNormalization
from proxy.fusion.table import SingleArray
from proxy.fusion.weights import LARGEST, Weights
from proxy.fusion.whole import fuse_whole
from proxy.model import RankedList
from tests.fakes import ranked

TABLE = LegTable.of({"x": ranked("a b c"), "y": ranked("c d")})


@dataclass(frozen=True, slots=True)
class Given(Dialect):
    """Scores that are given, whatever the table."""

    given: tuple[float, ...] = ()
    weights: Weights = ()

    def scores(self, table: LegTable, legs: tuple[str, ...]) -> SingleArray:
        """As given."""
        return np.array(self.given, np.float32)

    def problems_for(self, version: tuple[int, int]) -> list[str]:
        """None."""
        return []


def test_documents_are_ranked_by_what_the_dialect_scores():
    """
    Only those of the legs that are asked for.
    """
    (both,) = fuse_whole([ElasticsearchRRF(1)], TABLE, ("x", "y"), 10)
    (one,) = fuse_whole([ElasticsearchRRF(1)], TABLE, ("y",), 10)

    assert ("c", "a", "b", "d") == both.ids
    assert RankedList(("c", "d"), (0.5, float(np.float32(1 / 3)))) == one


@pytest.mark.parametrize("size", [0, 1, 2, 3, 10])
def test_ties_go_to_the_smaller_id(size: int):
    """
    At the cut, too; engines leave it to shards or to chance.
    """
    table = LegTable.of({"x": ranked("c a b")})

    assert tuple("abc"[:size]) == fuse_whole([Given((1, 1, 1))], table, ("x",), size)[0].ids


def test_what_single_precision_cannot_hold_is_still_a_number():
    """
    NaN is 0; what is too large is the largest.
    """
    table = LegTable.of({"x": ranked("a b c d")})

    (fused,) = fuse_whole([Given((nan, inf, -inf, 1))], table, ("x",), 10)

    assert RankedList(("b", "d", "a", "c"), (LARGEST, 1.0, 0.0, -LARGEST)) == fused


def test_several_are_each_alone():
    """
    To the last bit.
    """
    several = [ElasticsearchRRF(), OpenSearchNormalization(), OpenSearchNormalization("l2")]

    together = fuse_whole(several, TABLE, ("x", "y"), 3)

    assert [fuse_whole([fusion], TABLE, ("x", "y"), 3)[0] for fusion in several] == together


def test_nothing_found_is_nothing_fused():
    """
    An empty list for each.
    """
    table = LegTable.of({"x": RankedList(), "y": RankedList()})

    assert [RankedList()] * 2 == fuse_whole([ElasticsearchRRF()] * 2, table, ("x", "y"), 10)
