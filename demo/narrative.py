"""What the last table shows, in sentences made from its numbers. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

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
    better = [row for row in board.rows if _better(row, live) and row.role != "live"]
    lower = [row for row in better if _clearly_lower(row, live)]
    level = [row for row in better if _level(row, live)]
    if lower:
        yield (
            f"Where clicks mislead: better than live {_named(live)} by the judgments, and clearly "
            f"worse by the clicks, which live's page earned: {_all(lower)}."
        )
    if level:
        yield (
            f"Truly better than live {_named(live)}, yet not above it by the clicks, which live's "
            f"page earned (no difference to see: live's mean is in the interval): {_all(level)}."
        )
    wrong = next((row for row in board.rows if row.pipeline == broken), None)
    if wrong is not None and wrong.true is not None and wrong.judged is not None:
        yield (
            f"`{broken}` is worthless (true {wrong.true:.3f}), and its judged@10 of "
            f"{wrong.judged:.2f} says how little of it anybody saw while it was a shadow."
        )


def _better(row: Row, live: Row) -> bool:
    """Truly, as it is shown."""
    if row.true is None or live.true is None:
        return False
    return round(row.true, 3) > round(live.true, 3)


def _clearly_lower(row: Row, live: Row) -> bool:
    """Its whole interval is below live's mean."""
    high, mean = row.clicks.high, live.clicks.mean
    return high is not None and mean is not None and high < mean


def _level(row: Row, live: Row) -> bool:
    """Its interval holds live's mean."""
    low, high, mean = row.clicks.low, row.clicks.high, live.clicks.mean
    return low is not None and high is not None and mean is not None and low <= mean <= high


def _all(rows: Sequence[Row]) -> str:
    return ", ".join(map(_named, rows))


def _named(row: Row) -> str:
    return f"`{row.pipeline}` ({_both(row)})"


def _both(row: Row) -> str:
    return f"true {_number(row.true, '.3f')}, clicks {_number(row.clicks.mean, '.3f')}"


def _number(value: float | None, form: str) -> str:
    return "unknown" if value is None else format(value, form)
