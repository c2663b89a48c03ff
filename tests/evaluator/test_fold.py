"""Changes as sums, against adding them one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.fold import fold
from evaluator.grading import Grades
from evaluator.measures import score
from evaluator.open_impressions import Change
from evaluator.state import SERVED, Newest, Slot, layout_of
from evaluator.sums import Sums
from evaluator.weights import weights
from tests.evaluator.made import RULES, T0, impression, result

LIVE = Slot(T0 // RULES.bucket_ms, "live", "rrf60", "v1")
SHADOW = Slot(T0 // RULES.bucket_ms, "shadow", "rrf20", "v1")
PAGES = Slot(T0 // RULES.served_ms, SERVED)


def change(number: int, after: Grades = (), before: Grades | None = None) -> Change:
    """An impression of a user and a query of its own, and a shadow that turned it round."""
    page = impression(f"i{number}", user=b"u%d" % number, query_key=b"q%d" % number)
    return Change(T0 + number, page, (result(),), before, after, before is not None)


def vectors(cells: dict[Slot, Sums]) -> dict[Slot, list[float]]:
    """The numbers of each cell."""
    return {slot: cell.vector.tolist() for slot, cell in cells.items()}


def test_rows_are_summed_plain_and_under_every_replicate() -> None:
    """
    As a loop over impressions and replicates would, with each list's own score.
    """
    grades: list[Grades] = [(), ((1, 1),), ((2, 2), (3, 1))]
    changes = [change(number, after) for number, after in enumerate(grades)]
    drawn = weights([f"u{n}".encode() for n in range(3)], [f"q{n}".encode() for n in range(3)])

    cells = fold(changes, RULES).cells

    for slot, docs in ((LIVE, "abc"), (SHADOW, "cba")):
        judged = [{"abc"[rank - 1]: grade for rank, grade in after} for after in grades]
        values = np.array(
            [[1.0, *(score(m, docs, known) or 0.0 for m in RULES.measures)] for known in judged]
        )
        expected = np.vstack([values.sum(axis=0), drawn.astype(np.float64).T @ values])
        assert expected == pytest.approx(cells[slot].table(layout_of(slot.role, 3)))


def test_shares_are_counted_where_they_are_defined() -> None:
    """
    Judged of every list, likeness of shadows only, and what became of the pages served.
    """
    changes = [change(0), change(1, ((1, 1),)), change(2, ((1, 2),))]

    cells = fold(changes, RULES).cells

    def share(slot: Slot, name: str) -> float:
        return cells[slot].share(layout_of(slot.role, 3), name)

    assert [3, 3, 0] == [share(LIVE, name) for name in ("judged_n", "judged", "compared_n")]
    assert [3, 3] == [share(SHADOW, name) for name in ("compared_n", "overlap")]
    assert [2, 1, 0, 0] == [
        share(PAGES, name) for name in ("clicked", "satisfied", "zero_result", "degraded")
    ]


def test_the_newest_version_is_the_one_that_served_last() -> None:
    """
    By the times of the record ids, whatever the order of the changes.
    """
    old, new = change(1), change(2)
    renewed = new._replace(impression=impression("n", version="v2"))

    newest = fold([renewed, old], RULES).newest

    assert Newest(T0 + 2, "v2") == newest["live", "rrf60"]
    assert Newest(T0 + 2, "v1") == newest["shadow", "rrf20"]


def test_nothing_adds_nothing() -> None:
    """
    No change, no cell.
    """

    assert {} == fold([], RULES).cells


GRADES = st.lists(
    st.tuples(st.integers(1, 3), st.integers(1, 2)), max_size=3, unique_by=lambda g: g[0]
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(GRADES, GRADES), min_size=1, max_size=4))
def test_a_correction_leaves_what_the_final_grades_alone_would(
    histories: list[tuple[list[tuple[int, int]], list[tuple[int, int]]]],
) -> None:
    """
    Folding and correcting gives the sums of folding late: n exactly, the others to 1e-9.
    """
    pairs = [(tuple(sorted(a)), tuple(sorted(b))) for a, b in histories]
    first = fold([change(n, a) for n, (a, _) in enumerate(pairs)], RULES).cells
    moved = [change(n, b, before=a) for n, (a, b) in enumerate(pairs) if a != b]
    then = fold(moved, RULES).cells
    at_once = fold([change(n, b) for n, (_, b) in enumerate(pairs)], RULES).cells

    for slot, cell in at_once.items():
        both = first[slot] + then[slot] if slot in then else first[slot]
        assert cell.vector[0] == both.vector[0]
        assert np.abs(cell.vector - both.vector).max() <= 1e-9
        assert cell.queries.tolist() == both.queries.tolist()
