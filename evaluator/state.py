"""The sums of one shard: cells by time, role, pipeline and version, and how far they have come."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from evaluator.records import BEGINNING, RecordId
from evaluator.rules import BUCKETS, SERVED_BUCKETS, Rules
from evaluator.sums import Layout, Sums, pipeline_layout, served_layout

SERVED: Final = "served"
"""The role of the cells about what users were served, whichever pipeline it was."""


class Slot(NamedTuple):
    """Where a cell stands: the bucket of its impressions' record ids, and whose numbers it has."""

    bucket: int
    role: str
    pipeline: str = ""
    version: str = ""


class Newest(NamedTuple):
    """The version of a pipeline in a role that served last, at `ms`."""

    ms: int
    version: str


@dataclass(frozen=True, slots=True)
class Delta:
    """What to add to a state."""

    cells: Mapping[Slot, Sums] = field(default_factory=dict)
    newest: Mapping[tuple[str, str], Newest] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """A shard's cells. Records up to `position` are in them, judged at `clock` (milliseconds).

    Impressions up to `since` are not: they came before these sums began. `newest` is by role and
    pipeline. `stored` is what Redis says of how far it has come, None while it has nothing.
    """

    position: RecordId = BEGINNING
    clock: int = 0
    since: RecordId = BEGINNING
    cells: Mapping[Slot, Sums] = field(default_factory=dict)
    newest: Mapping[tuple[str, str], Newest] = field(default_factory=dict)
    stored: bytes | None = None

    def add(self, delta: Delta, position: RecordId, clock: int, rules: Rules) -> State:
        """The state after `delta`, at a later position and clock, less what left the windows."""
        cells = dict(self.cells)
        for slot, cell in delta.cells.items():
            cells[slot] = cells[slot] + cell if slot in cells else cell
        newest = dict(self.newest)
        for whose, seen in delta.newest.items():
            newest[whose] = max(seen, newest.get(whose, seen))
        kept = {slot: cell for slot, cell in cells.items() if in_window(slot, clock, rules)}
        return replace(self, position=position, clock=clock, cells=kept, newest=newest)


def in_window(slot: Slot, clock: int, rules: Rules) -> bool:
    """Is the slot's bucket one of the last of its window at `clock`?"""
    if slot.role == SERVED:
        return slot.bucket > clock // rules.served_ms - SERVED_BUCKETS
    return slot.bucket > clock // rules.bucket_ms - BUCKETS


def layout_of(role: str, measures: int) -> Layout:
    """The layout of cells of that role."""
    return served_layout(measures) if role == SERVED else pipeline_layout(measures)


def expired(before: State, after: State) -> Set[Slot]:
    """The slots that have left the windows."""
    return before.cells.keys() - after.cells.keys()
