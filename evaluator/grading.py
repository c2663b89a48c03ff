"""What an impression's own events say about its documents: clicks and dwell as grades."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

from proxy.events.records import Event

CLICKED: Final = 1
SATISFIED: Final = 2
DWELLS: Final = ("beat", "hide", "back")
"""The events that tell how long a document was looked at."""

Grades: TypeAlias = tuple[tuple[int, int], ...]
"""(rank, grade) of each document with a grade above 0, by rank; the rank is the served list's."""


class Act(NamedTuple):
    """What an event says: something was done with the document at `rank`, `received` ms after 1970.

    `dwell_ms` is None for a click.
    """

    rank: int
    received: int
    dwell_ms: int | None


def act(event: Event, rank: int) -> Act | None:
    """The event about the document at `rank`; None if it can change no grade."""
    if event.type == "click":
        return Act(rank, event.received, None)
    if event.type in DWELLS and event.dwell_ms is not None:
        return Act(rank, event.received, event.dwell_ms)
    return None


def grades(acts: Iterable[Act], satisfied_ms: int) -> Grades:
    """2 for a satisfied click, 1 for a click; in whatever order the acts came.

    The dwell of a document is the largest that was reported, each at most the time between the
    arrival of its first click and that of the report: nobody dwells longer than that.
    """
    clicked: dict[int, int] = {}
    dwells: list[Act] = []
    for done in acts:
        if done.dwell_ms is not None:
            dwells.append(done)
        elif done.received < clicked.get(done.rank, done.received + 1):
            clicked[done.rank] = done.received
    satisfied = {
        done.rank
        for done in dwells
        if done.rank in clicked
        and min(done.dwell_ms or 0, done.received - clicked[done.rank]) >= satisfied_ms
    }
    return tuple((rank, SATISFIED if rank in satisfied else CLICKED) for rank in sorted(clicked))
