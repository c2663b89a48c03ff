"""What the sums of a route say now: estimates, shares and latencies of its configured pipelines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from config.schema import Route
from evaluator.latency import quantile
from evaluator.rules import Rules
from evaluator.state import SERVED, Newest, Slot, State, in_window
from evaluator.stats import Estimate, estimate
from evaluator.sums import Layout, Sums, pipeline_layout, served_layout, total

QUANTILES: Final = (0.5, 0.95, 0.99)
SHARES: Final = (
    ("judged@10", "judged", "judged_n"),
    ("overlap@10", "overlap", "compared_n"),
    ("rbo", "rbo", "compared_n"),
)
"""A pipeline's shares: the label, the sum, the n it is a mean over."""


class Member(NamedTuple):
    """A pipeline in the role that the configuration gives it."""

    role: str
    pipeline: str


@dataclass(frozen=True, slots=True)
class Numbers:
    """One pipeline in one role, of its newest version. What is absent can't be said."""

    version: str
    n: int
    measures: tuple[tuple[str, Estimate], ...]
    shares: tuple[tuple[str, float], ...]
    latencies: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Served:
    """What users were served, whichever pipeline it was."""

    n: int
    measures: tuple[tuple[str, Estimate], ...]
    shares: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A route at one moment."""

    pipelines: tuple[tuple[Member, Numbers], ...]
    served: Served


def members(route: Route) -> tuple[Member, ...]:
    """The pipelines of a route with their roles, live first."""
    live = [Member("live", name) for name, _ in route.live]
    return (*live, *(Member("shadow", name) for name, _ in route.shadows))


def snapshot(
    states: Sequence[State], wanted: Iterable[Member], rules: Rules, clock: int
) -> Snapshot:
    """Merge the shards of a route; cells that left their window at `clock` (ms) don't count."""
    layout = pipeline_layout(len(rules.measures))
    found = []
    for member in wanted:
        if newest := _newest(states, member):
            cells = _cells(states, rules, clock, member.role, member.pipeline, newest.version)
            merged = total(cells, layout)
            found.append((member, _numbers(merged, layout, newest.version, rules)))
    served = total(_cells(states, rules, clock, SERVED, "", ""), served_layout(len(rules.measures)))
    return Snapshot(tuple(found), _served(served, rules))


def _newest(states: Sequence[State], member: Member) -> Newest | None:
    seen = [state.newest[member] for state in states if member in state.newest]
    return max(seen) if seen else None


def _cells(
    states: Sequence[State], rules: Rules, clock: int, role: str, pipeline: str, version: str
) -> list[Sums]:
    def wanted(slot: Slot) -> bool:
        return slot[1:] == (role, pipeline, version) and in_window(slot, clock, rules)

    return [cell for state in states for slot, cell in state.cells.items() if wanted(slot)]


def _numbers(sums: Sums, layout: Layout, version: str, rules: Rules) -> Numbers:
    shares = [
        (label, sums.share(layout, name) / count)
        for label, name, of in SHARES
        if (count := sums.share(layout, of)) > 0.5
    ]
    counted = sums.latencies(layout)
    latencies = [(share, quantile(counted, share)) for share in QUANTILES]
    return Numbers(
        version,
        round(float(sums.vector[0])),
        _measures(sums, layout, rules),
        tuple(shares),
        tuple((share, seconds) for share, seconds in latencies if seconds is not None),
    )


def _served(sums: Sums, rules: Rules) -> Served:
    layout = served_layout(len(rules.measures))
    n = round(float(sums.vector[0]))
    shares = [(name, sums.share(layout, name) / n) for name in layout.shares] if n else []
    return Served(n, _measures(sums, layout, rules), tuple(shares))


def _measures(sums: Sums, layout: Layout, rules: Rules) -> tuple[tuple[str, Estimate], ...]:
    table, queries = sums.table(layout), len(sums.queries)
    found = [
        (str(measure), estimate(table[:, 0], table[:, column], queries))
        for column, measure in enumerate(rules.measures, 1)
    ]
    return tuple((name, made) for name, made in found if made is not None)
