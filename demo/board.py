"""What is shown while the demo runs: a row a pipeline, and what users were served. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from demo.scrape import Scrape

MEASURE = "nDCG@10"
RELEVANCE = "shadowrank_relevance"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over `n` impressions; `low` and `high` are absent where no honest interval exists."""

    mean: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """A pipeline in the role that the configuration gives it; None is what isn't known (yet)."""

    pipeline: str
    role: str
    clicks: Estimate = Estimate()
    judged: float | None = None
    true: float | None = None
    p95_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Board:
    """All rows, best truth first, and what was served in the last window, by whichever pipeline."""

    rows: tuple[Row, ...] = ()
    served: Estimate = Estimate()
    clicked: float | None = None

    def live(self) -> Row | None:
        """The row of the pipeline that users see."""
        return next((row for row in self.rows if row.role == "live"), None)


def board(
    found: Scrape, route: str, roles: Sequence[tuple[str, str]], truth: Mapping[str, float]
) -> Board:
    """The evaluator's numbers, with `truth`, nDCG@10 by pipeline.

    `roles` are the (pipeline, role) that have a row even without numbers.
    """
    measured = found.having(RELEVANCE, route=route, measure=MEASURE)
    shown = dict.fromkeys((*roles, *((of["pipeline"], of["role"]) for of, _ in measured)))
    rows = [_row(found, route, name, role, truth.get(name)) for name, role in shown]
    return Board(
        tuple(sorted(rows, key=lambda row: (-(row.true or 0.0), row.pipeline))),
        _estimate(found, "shadowrank_served_relevance", route=route, measure=MEASURE),
        found.value("shadowrank_served_share", route=route, what="clicked"),
    )


def _row(found: Scrape, route: str, name: str, role: str, true: float | None) -> Row:
    who = {"route": route, "pipeline": name, "role": role}
    p95 = found.value("shadowrank_pipeline_latency_seconds", **who, quantile="0.95")
    return Row(
        name,
        role,
        _estimate(found, RELEVANCE, **who, measure=MEASURE),
        found.value("shadowrank_share", **who, what="judged@10"),
        true,
        None if p95 is None else p95 * 1000,
    )


def _estimate(found: Scrape, name: str, **labels: str) -> Estimate:
    return Estimate(
        found.value(name, **labels),
        found.value(f"{name}_low", **labels),
        found.value(f"{name}_high", **labels),
        round(found.value(f"{name}_samples", **labels) or 0),
    )
