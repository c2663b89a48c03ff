"""What the last table shows, in sentences made from its numbers. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from demo.board import Board, Row
from demo.report import PHASES

LIMIT = (
    "What the numbers can't tell: clicks exist only for what live showed, so a shadow gets no "
    "credit for what only it would have found. They may screen a pipeline; only a randomised "
    "slice of traffic may promote one."
)


def narrative(board: Board, served: Mapping[str, Board], broken: str) -> str:
    """A few sentences; what was not measured is not talked about."""
    return "\n".join(f"- {sentence}" for sentence in _sentences(board, served, broken))


def _sentences(board: Board, served: Mapping[str, Board], broken: str) -> Iterator[str]:
    if len(served) == len(PHASES):
        yield _accident(served, broken)
    live = board.live()
    if live is not None:
        yield from _clicks_against_truth(board, live, broken)
    yield (
        "`reranked` sorts its first 50 candidates by the cosine of the stored vectors, so over "
        "those it equals `dense`; a real reranker would bring knowledge of its own."
    )
    yield LIMIT


def _accident(served: Mapping[str, Board], broken: str) -> str:
    quality = ", then ".join(_number(served[phase].served.mean, ".3f") for phase in PHASES)
    clicked = ", ".join(_number(served[phase].clicked, ".0%") for phase in PHASES)
    return (
        f"Live went to `{broken}` halfway and came back: nDCG@10 of what was served read "
        f"{quality}; the share of searches with a click {clicked}. Alert on this line."
    )


def _clicks_against_truth(board: Board, live: Row, broken: str) -> Iterator[str]:
    misled = [row for row in board.rows if _misleads(row, live)]
    if misled:
        cases = ", ".join(f"`{row.pipeline}` ({_both(row)})" for row in misled)
        yield (
            f"Where clicks mislead: better than live `{live.pipeline}` ({_both(live)}) by the "
            f"judgments, and worse by the clicks, which live's page earned: {cases}."
        )
    wrong = next((row for row in board.rows if row.pipeline == broken), None)
    if wrong is not None and wrong.true is not None and wrong.judged is not None:
        yield (
            f"`{broken}` is worthless (true {wrong.true:.3f}), and its judged@10 of "
            f"{wrong.judged:.2f} says how little of it anybody saw while it was a shadow."
        )


def _misleads(row: Row, live: Row) -> bool:
    """Truly better than live, and worse by the clicks."""
    return _less(live.true, row.true) and _less(row.clicks.mean, live.clicks.mean)


def _less(value: float | None, other: float | None) -> bool:
    """Is it less as it is shown?"""
    return value is not None and other is not None and round(value, 3) < round(other, 3)


def _both(row: Row) -> str:
    return f"true {_number(row.true, '.3f')}, clicks {_number(row.clicks.mean, '.3f')}"


def _number(value: float | None, form: str) -> str:
    return "unknown" if value is None else format(value, form)
