"""Which lists of a changed impression count where: the rows to add to slots.

First pages (from = 0, size > 0) count in what was served; those that weren't degraded in their
pipelines' own numbers, too. A shadow's timeout or error counts as an empty list; what was dropped
or degraded is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf, nan
from typing import Final

from evaluator.grading import Grades
from evaluator.open_impressions import Change
from evaluator.rules import Rules
from evaluator.scoring import Ranked, Side
from evaluator.state import SERVED, Slot
from proxy.events.records import ShadowResult
from proxy.model import MAX_DEPTH

FAILED: Final = ("timeout", "error")
"""The statuses of a shadow that count as an empty list."""
_RANKS: Final = bytes(range(1, MAX_DEPTH + 1))


@dataclass(frozen=True, slots=True)
class Table:
    """Rows: of each the slot it adds to, the list it scores, and the latency of that, in seconds.

    A latency is infinite for a timeout and NaN where there is none.
    """

    slots: dict[Slot, int] = field(default_factory=dict)
    slot: list[int] = field(default_factory=list)
    ranked: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def append(self, slot: Slot, ranked: int, seconds: float) -> None:
        """One row more."""
        self.slot.append(self.slots.setdefault(slot, len(self.slots)))
        self.ranked.append(ranked)
        self.seconds.append(seconds)


class Rows:
    """The rows of a batch of changes: lists refer to sides, sides to `shown` impressions."""

    def __init__(self, changes: Iterable[Change], rules: Rules) -> None:
        self.shown: list[Change] = []
        self.sides: list[Side] = []
        self.lists: list[Ranked] = []
        self.pipelines = Table()
        self.served = Table()
        self._rules = rules
        for change in changes:
            if change.impression.offset == 0 and change.impression.size > 0:
                self._add(change)

    def _add(self, change: Change) -> None:
        """Take away the rows that the sums hold of an impression, add those it has now."""
        self.shown.append(change)
        if change.before == change.after:  # only its shadows are new
            self._shadows(change, self._side(change, 1, change.after))
            return
        if change.before is not None:
            self._page(change, self._side(change, -1, change.before))
            if change.scored:
                self._shadows(change, len(self.sides) - 1)
        side = self._side(change, 1, change.after)
        self._page(change, side)
        self._shadows(change, side)

    def _side(self, change: Change, sign: int, grades: Grades) -> int:
        size = min(change.impression.size, len(change.impression.list))
        self.sides.append(Side(len(self.shown) - 1, sign, size, grades))
        return len(self.sides) - 1

    def _page(self, change: Change, side: int) -> None:
        impression = change.impression
        length = min(len(impression.list), MAX_DEPTH)
        ranked = self._list(Ranked(side, _RANKS[:length], length, False))
        seconds = impression.took / 1000
        self.served.append(Slot(change.ms // self._rules.served_ms, SERVED), ranked, seconds)
        if not impression.degraded:
            bucket = change.ms // self._rules.bucket_ms
            slot = Slot(bucket, "live", impression.pipeline, impression.version)
            self.pipelines.append(slot, ranked, seconds)

    def _shadows(self, change: Change, side: int) -> None:
        impression = change.impression
        if impression.degraded or not change.results:
            return
        bucket = change.ms // self._rules.bucket_ms
        length = min(len(impression.list), MAX_DEPTH)
        rank_of = dict(zip(impression.list, _RANKS, strict=False)).get
        for result in change.results:
            if result.status in FAILED:
                ranked = Ranked(side, b"", length, False)
            elif result.status == "ok" and not result.degraded:
                ranks = bytes([rank_of(doc, 0) for doc in result.list[:MAX_DEPTH]])
                ranked = Ranked(side, ranks, length, True)
            else:
                continue
            slot = Slot(bucket, "shadow", result.pipeline, result.version)
            self.pipelines.append(slot, self._list(ranked), _seconds(result))

    def _list(self, ranked: Ranked) -> int:
        self.lists.append(ranked)
        return len(self.lists) - 1


def _seconds(result: ShadowResult) -> float:
    """A timeout was slower than any budget; how long an error took says nothing."""
    if result.status == "timeout":
        return inf
    return nan if result.status == "error" or result.took is None else result.took / 1000
