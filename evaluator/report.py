"""A snapshot as a table for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from evaluator.snapshot import Numbers, Snapshot
from evaluator.stats import Estimate

CAVEAT: Final = (
    "These numbers say whether what is served got better or worse; they don't say which pipeline "
    "is better: shadows are judged on clicks that only live could earn."
)
ABSENT: Final = "-"


def report(route: str, snapshot: Snapshot, measures: Sequence[str]) -> str:
    """Served first, then each pipeline that was seen; `-` is what can't be said."""
    served = snapshot.served
    rows = [
        ("", "served", str(served.n), *_estimates(dict(served.measures), measures), *[ABSENT] * 3)
    ]
    rows += [
        _row(whose.pipeline, whose.role, numbers, measures) for whose, numbers in snapshot.pipelines
    ]
    shares = ", ".join(f"{what} {share:.3f}" for what, share in served.shares) or "nothing yet"
    head = ("pipeline", "role", "n", *measures, "judged@10", "overlap@10", "p95 ms")
    return f"route {route}\n{_aligned([head, *rows])}\nserved: {shares}\n"


def _row(pipeline: str, role: str, numbers: Numbers, measures: Sequence[str]) -> tuple[str, ...]:
    shares, latencies = dict(numbers.shares), dict(numbers.latencies)
    return (
        pipeline,
        role,
        str(numbers.n),
        *_estimates(dict(numbers.measures), measures),
        *(
            f"{shares[what]:.3f}" if what in shares else ABSENT
            for what in ("judged@10", "overlap@10")
        ),
        f"{latencies[0.95] * 1000:.1f}" if 0.95 in latencies else ABSENT,
    )


def _estimates(found: dict[str, Estimate], measures: Iterable[str]) -> list[str]:
    return [_estimate(found[name]) if name in found else ABSENT for name in measures]


def _estimate(made: Estimate) -> str:
    if made.low is None or made.high is None:
        return f"{made.mean:.3f}"
    return f"{made.mean:.3f} [{made.low:.3f}, {made.high:.3f}]"


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)
