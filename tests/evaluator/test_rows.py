"""Which lists count where."""

from __future__ import annotations

from math import inf, isnan

import pytest

from evaluator.grading import Grades
from evaluator.open_impressions import Change
from evaluator.rows import Rows
from evaluator.state import SERVED, Slot
from proxy.events.records import Impression, ShadowResult
from tests.evaluator.made import RULES, T0, impression, result

BUCKET, SERVED_BUCKET = T0 // RULES.bucket_ms, T0 // RULES.served_ms
DEGRADED = (("leg:bm25", "timeout"),)
PARTIAL = (("leg:bm25", "partial"),)


def rows(
    page: Impression,
    *results: ShadowResult,
    before: Grades | None = None,
    after: Grades = (),
    scored: bool = False,
) -> Rows:
    """The rows of one change."""
    return Rows([Change(T0, page, results, before, after, scored)], RULES)


def slots(made: Rows) -> list[tuple[str, str]]:
    """Role and pipeline of each pipeline's row."""
    found = list(made.pipelines.slots)
    return [(found[at].role, found[at].pipeline) for at in made.pipelines.slot]


def test_a_new_impression_counts_for_live_for_shadows_and_as_served() -> None:
    """
    Each in the bucket of its record id.
    """
    made = rows(impression(), result())

    assert [
        Slot(BUCKET, "live", "rrf60", "v1"), Slot(BUCKET, "shadow", "rrf20", "v1")
    ] == list(made.pipelines.slots)  # fmt: skip
    assert [Slot(SERVED_BUCKET, SERVED)] == list(made.served.slots)
    assert [1] == [side.sign for side in made.sides]


@pytest.mark.parametrize("page", [impression(offset=10), impression(size=0)])
def test_only_first_pages_count(page: Impression) -> None:
    """
    From 0, with a size above 0.
    """

    assert [] == rows(page, result()).sides


@pytest.mark.parametrize("degraded", [DEGRADED, PARTIAL])
def test_a_degraded_page_counts_as_served_only(degraded: tuple[tuple[str, str], ...]) -> None:
    """
    It says nothing of its pipeline nor of shadows.
    """
    made = rows(impression(degraded=degraded), result())

    assert ([], 1) == (slots(made), len(made.served.slot))


@pytest.mark.parametrize(
    ("shadow", "counted"),
    [
        (result(), True),
        (result(status="timeout", docs=""), True),
        (result(status="error", docs=""), True),
        (result(status="dropped", docs=""), False),
        (result(degraded=DEGRADED), False),
        (result(degraded=PARTIAL), False),
    ],
)
def test_a_failed_shadow_counts_and_a_dropped_one_does_not(
    shadow: ShadowResult, counted: bool
) -> None:
    """
    Dropping is our doing, failing its own.
    """

    assert counted == (("shadow", "rrf20") in slots(rows(impression(), shadow)))


@pytest.mark.parametrize("status", ["timeout", "error"])
def test_a_failed_shadow_is_an_empty_list(status: str) -> None:
    """
    Whatever its record holds.
    """

    assert b"" == rows(impression(), result(status=status, docs="a b")).lists[1].ranks


def test_latencies_are_seconds() -> None:
    """
    A timeout is slower than any, an error has none.
    """
    made = rows(
        impression(took=8.0), result(took=9.0), result("slow", status="timeout", took=300.0),
        result("broken", status="error", took=1.0),
    )  # fmt: skip

    assert [0.008, 0.009, inf] == made.pipelines.seconds[:3]
    assert isnan(made.pipelines.seconds[3])


def test_a_correction_takes_away_what_was_there() -> None:
    """
    Live, served and shadows, with the grades of before.
    """
    made = rows(impression(), result(), before=(), after=((1, 1),), scored=True)

    assert [(-1, ()), (1, ((1, 1),))] == [(side.sign, side.grades) for side in made.sides]
    assert [("live", "rrf60"), ("shadow", "rrf20")] * 2 == slots(made)


def test_shadows_that_come_later_are_only_added() -> None:
    """
    The page is in the sums already.
    """
    made = rows(impression(), result(), before=(), after=())

    assert ([("shadow", "rrf20")], []) == (slots(made), made.served.slot)


def test_shadows_that_come_with_a_correction_are_not_taken_away() -> None:
    """
    They weren't in the sums before.
    """
    made = rows(impression(), result(), before=(), after=((1, 1),), scored=False)

    assert [("live", "rrf60"), ("live", "rrf60"), ("shadow", "rrf20")] == slots(made)


def test_a_list_is_told_by_the_ranks_its_documents_were_served_at() -> None:
    """
    0 for what live didn't list.
    """
    made = rows(impression(docs="a b c"), result(docs="c x a"))

    assert [bytes([1, 2, 3]), bytes([3, 0, 1])] == [listed.ranks for listed in made.lists]
