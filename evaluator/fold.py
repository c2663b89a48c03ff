"""Changes of impressions as sums to add, plain and under every bootstrap replicate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from evaluator import latency
from evaluator.grading import SATISFIED
from evaluator.measures import FloatArray, IntArray
from evaluator.open_impressions import Change
from evaluator.rows import Rows, Table
from evaluator.rules import Rules
from evaluator.scoring import Scores, scores
from evaluator.state import Delta, Newest, Slot
from evaluator.sums import Hashes, Sums, smallest
from evaluator.weights import REPLICATES, Weights, seeds, weights

SINGLE_THREAD: Final = 1 << 17
"""Multiplications in one product: OpenBLAS shares out larger ones, and its threads then spin on
cores that searches need."""


def fold(changes: Sequence[Change], rules: Rules) -> Delta:
    """What the changes add to the cells of one shard."""
    rows = Rows(changes, rules)
    if not rows.sides:
        return Delta()
    scored = scores(rows.sides, rows.lists, rules.measures)
    batch = _Batch(rows, scored.measures)
    cells = dict(batch.cells(rows.pipelines, _pipeline_shares(scored), latency.BINS))
    cells.update(batch.cells(rows.served, _served_shares(rows), 0))
    return Delta(cells, _newest(rows))


class _Batch:
    """What all rows of a batch share: weights, measures and the impressions they belong to."""

    def __init__(self, rows: Rows, measures: FloatArray) -> None:
        impressions = [change.impression for change in rows.shown]
        keys = [impression.query_key for impression in impressions]
        users = [shown.user or shown.session or shown.id for shown in impressions]
        self.weights: Weights = weights(users, keys)
        self.queries: Hashes = seeds(b"query", keys)
        self.shown = np.array([rows.sides[ranked.side].shown for ranked in rows.lists])
        self.signs = np.array([rows.sides[ranked.side].sign for ranked in rows.lists])
        self.columns = np.column_stack([np.ones(len(measures)), measures])

    def cells(self, table: Table, shares: FloatArray, bins: int) -> Iterator[tuple[Slot, Sums]]:
        """The sums of each slot's rows; `shares` are by list, `bins` are as many as count."""
        slot_of, ranked = np.array(table.slot), np.array(table.ranked)
        binned = latency.bins(np.array(table.seconds))
        order = np.argsort(slot_of, kind="stable")
        ends = np.searchsorted(slot_of[order], np.arange(1, len(table.slots)))
        for slot, rows in zip(table.slots, np.split(order, ends), strict=True):
            at = ranked[rows]
            parts = (
                self._replicated(at),
                self.signs[at] @ shares[at],
                latency.counts(binned[rows], self.signs[at], bins),
            )
            yield slot, Sums(np.concatenate(parts), smallest([self.queries[self.shown[at]]]))

    def _replicated(self, at: IntArray) -> FloatArray:
        """n and measures of the lists, plain and under every replicate, in one row."""
        added = self.columns[at] * self.signs[at, None]
        shown = self.shown[at]
        replicates = np.zeros((REPLICATES, added.shape[1]))
        block = max(1, SINGLE_THREAD // replicates.size)
        for start in range(0, len(at), block):
            drawn = self.weights[shown[start : start + block]].astype(np.float64)
            replicates += drawn.T @ added[start : start + block]
        return np.concatenate([added.sum(axis=0), replicates.ravel()])


def _pipeline_shares(scored: Scores) -> FloatArray:
    """By list, in the order of `PIPELINE_SHARES`: what is undefined adds to no n and no sum."""
    pairs = (scored.judged, scored.overlap, scored.rbo)
    judged, overlap, rbo = (np.nan_to_num(share) for share in pairs)
    defined = (~np.isnan(scored.judged), ~np.isnan(scored.overlap))
    return np.column_stack([defined[0], judged, defined[1], overlap, rbo]).astype(np.float64)


def _served_shares(rows: Rows) -> FloatArray:
    """By list, in the order of `SERVED_SHARES`: 1 or 0."""
    by_side = [
        (
            bool(side.grades),
            any(grade == SATISFIED for _, grade in side.grades),
            not rows.shown[side.shown].impression.list,
            bool(rows.shown[side.shown].impression.degraded),
        )
        for side in rows.sides
    ]
    return np.array(by_side, dtype=np.float64)[[ranked.side for ranked in rows.lists]]


def _newest(rows: Rows) -> dict[tuple[str, str], Newest]:
    """The version of each pipeline and role that served last."""
    found: dict[tuple[str, str], Newest] = {}
    slots = list(rows.pipelines.slots)
    for at, ranked in zip(rows.pipelines.slot, rows.pipelines.ranked, strict=True):
        _, role, pipeline, version = slots[at]
        shown = rows.shown[rows.sides[rows.lists[ranked].side].shown]
        seen = Newest(shown.ms, version)
        if seen > found.get((role, pipeline), _NEVER):
            found[role, pipeline] = seen
    return found


_NEVER: Final = Newest(-1, "")
