"""A board as text for a terminal. Pure."""

from __future__ import annotations

from demo.board import Board, Estimate, Row

HEADER = (
    f"{'pipeline':<11} {'role':<7} {'true nDCG@10':>12}  {'nDCG@10 from clicks':<22} "
    f"{'judged@10':>9}  {'p95 ms':>6}  {'n':>6}"
)


def table(board: Board, title: str) -> str:
    """The whole picture: a title, one line a pipeline, and what was served."""
    return "\n".join((title, HEADER, *(_line(row) for row in board.rows), served(board)))


def served(board: Board) -> str:
    """The line to watch: what users got in the last window, whichever pipeline it came from."""
    return (
        f"served in the last window: nDCG@10 {_interval(board.served).strip()}, "
        f"clicked {_number(board.clicked, '.0%')}, n {board.served.n}"
    )


def _line(row: Row) -> str:
    return (
        f"{row.pipeline:<11} {row.role:<7} {_number(row.true):>12}  {_interval(row.clicks):<22} "
        f"{_number(row.judged):>9}  {_number(row.p95_ms, '.1f'):>6}  {row.clicks.n:>6}"
    )


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return _number(estimate.mean)
    return f"{estimate.mean:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def _number(value: float | None, form: str = ".3f") -> str:
    return "-" if value is None else format(value, form)
