"""What must hold at the end of a run, each by its name. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from demo.board import Board
from demo.totals import Sent, Totals

FALLEN: Final = 0.5
"""While live is broken, what is served must read less than this share of before and of after."""


def checks(
    served: Mapping[str, Board], totals: Totals, sent: Sent, served_as_explained: bool
) -> dict[str, bool]:
    """Every check; one whose number could not be measured does not hold."""
    return {
        "live_page_is_what_explain_says": served_as_explained,
        **totals.checks(sent),
        "served_ndcg_fell_and_recovered": _fell(served, lambda board: board.served.mean),
        "clicked_share_fell_and_recovered": _fell(served, lambda board: board.clicked),
    }


def _fell(served: Mapping[str, Board], number: Callable[[Board], float | None]) -> bool:
    before, during, after = (
        number(served[phase]) if phase in served else None
        for phase in ("before", "during", "after")
    )
    if before is None or during is None or after is None:
        return False
    return during < FALLEN * before and during < FALLEN * after
