"""What `DEMO_JSON` gets: the last board, the served phases and the totals as plain data. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from demo.board import Board, Row
from demo.totals import Totals

PHASES = ("before", "during", "after")


def report(
    board: Board,
    served: Mapping[str, Board],
    totals: Totals,
    checks: Mapping[str, bool],
    seconds: Mapping[str, float],
) -> dict[str, Any]:
    """The document; what could not be measured is None. `served` are the boards read per phase."""
    return {
        "pipelines": {row.pipeline: _pipeline(row) for row in board.rows},
        "served": {phase: _served(served.get(phase)) for phase in PHASES},
        "totals": {
            "requests": totals.requests,
            "errors": totals.errors,
            "impressions": {
                "offered": totals.offered,
                "stored": totals.stored,
                "dropped": dict(totals.dropped),
            },
            "events": {
                "sent": totals.sent,
                "accepted": totals.accepted,
                "refused": dict(totals.refused),
            },
            "shadows": {
                "sampled": totals.sampled,
                "ran": totals.ran,
                "dropped": dict(totals.undone),
            },
        },
        "checks": dict(checks),
        "seconds": {name: round(value, 1) for name, value in seconds.items()},
    }


def _pipeline(row: Row) -> dict[str, Any]:
    clicks = row.clicks
    return {
        "role": row.role,
        "true_ndcg@10": row.true,
        "ndcg@10": {"mean": clicks.mean, "low": clicks.low, "high": clicks.high, "n": clicks.n},
        "judged@10": row.judged,
        "p95_ms": row.p95_ms,
    }


def _served(board: Board | None) -> float | None:
    return None if board is None else board.served.mean
