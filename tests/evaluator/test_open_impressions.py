"""What can still change, and when it does."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.counts import Counts
from evaluator.open_impressions import MAX_EVENTS, Change, OpenImpressions
from evaluator.records import BEGINNING, Entry, RecordId
from proxy.events.records import Record
from tests.evaluator.made import MINUTE, RULES, T0, entries, event, impression, result, shadows


def read(*records: tuple[int, Record | bytes], clock: int) -> tuple[list[Change], Counts]:
    """Read a stream in one go."""
    return OpenImpressions(RULES, BEGINNING).read(entries(*records), T0 + clock)


def test_an_impression_is_folded_once_it_has_settled() -> None:
    """
    At its own time plus `settle`, with the events that have come by then.
    """
    shown = OpenImpressions(RULES, BEGINNING)
    stream = entries((0, impression()), (5_000, event("click", "b")))

    early, _ = shown.read(stream, T0 + MINUTE - 1)
    due, _ = shown.read((), T0 + MINUTE)
    later, _ = shown.read((), T0 + 2 * MINUTE)

    assert ([], []) == (early, later)
    assert [(T0, None, ((2, 1),))] == [(each.ms, each.before, each.after) for each in due]


def test_a_later_click_is_a_correction() -> None:
    """
    It tells what the sums hold and what they should.
    """
    shown = OpenImpressions(RULES, BEGINNING)
    shown.read(entries((0, impression()), (1, event("click", "b"))), T0 + MINUTE)

    changes, _ = shown.read(entries((5 * MINUTE, event("click", "a"))), T0 + 5 * MINUTE)

    assert [(((2, 1),), ((1, 1), (2, 1)))] == [(each.before, each.after) for each in changes]


def test_an_upgrade_to_satisfied_is_a_correction() -> None:
    """
    The click was folded before its dwell was known.
    """
    shown = OpenImpressions(RULES, BEGINNING)
    shown.read(entries((0, impression()), (1, event("click", "b", after=1))), T0 + MINUTE)
    beat = event("beat", "b", after=2 * MINUTE, dwell_ms=60_000)

    changes, _ = shown.read(entries((2 * MINUTE, beat)), T0 + 2 * MINUTE)

    assert [(((2, 1),), ((2, 2),))] == [(each.before, each.after) for each in changes]


def test_what_changes_no_grade_is_no_change() -> None:
    """
    A second click on the same document, a page seen.
    """
    shown = OpenImpressions(RULES, BEGINNING)
    shown.read(entries((0, impression()), (1, event("click", "b"))), T0 + MINUTE)
    again = (2 * MINUTE, event("click", "b", after=9)), (2 * MINUTE, event("seen", None))

    assert [] == shown.read(entries(*again), T0 + 2 * MINUTE)[0]


def test_shadows_come_along_or_later() -> None:
    """
    A report after the fold adds its lists, and says that the rest is in the sums.
    """
    shown = OpenImpressions(RULES, BEGINNING)
    (first,), _ = shown.read(entries((0, impression(sampled=("rrf20",)))), T0 + MINUTE)
    (second,), _ = shown.read(entries((MINUTE, shadows("i", result()))), T0 + MINUTE)

    assert (None, False, ()) == (first.before, first.scored, first.results)
    assert ((), False, (result(),)) == (second.before, second.scored, second.results)


def test_shadows_after_a_minute_are_lost() -> None:
    """
    Counted when the minute is over, and the late report is ignored.
    """
    late = MINUTE + 1
    changes, counts = read(
        (0, impression(sampled=("rrf20", "dense"))), (late, shadows("i", result())), clock=late
    )

    assert [()] == [each.results for each in changes]
    assert {("rrf20", "lost"): 1, ("dense", "lost"): 1} == dict(counts.shadows)
    assert 1 == counts.records["late"]


def test_shadows_are_counted_by_what_became_of_them() -> None:
    """
    One that was sampled and isn't in the report is lost, too.
    """
    names = ("a", "b", "c", "d", "e")
    results = (
        result("a"), result("b", status="timeout"), result("c", status="dropped"),
        result("d", degraded=(("leg:bm25", "timeout"),)),
    )  # fmt: skip
    _, counts = read((0, impression(sampled=names)), (9, shadows("i", *results)), clock=10)

    outcomes = {"a": "ok", "b": "timeout", "c": "dropped", "d": "degraded", "e": "lost"}
    counted = {key: n for key, n in counts.shadows.items() if n}
    assert dict.fromkeys(outcomes.items(), 1) == counted


@pytest.mark.parametrize(("ahead", "outcome"), [(120_000, "credited"), (120_001, "unknown")])
def test_an_event_waits_for_its_impression(ahead: int, outcome: str) -> None:
    """
    For two minutes of the stream, whether they are read together or not.
    """
    early, page = entries((0, event("click", "b")), (ahead, impression()))
    together = OpenImpressions(RULES, BEGINNING).read([early, page], page.id.ms)[1]
    apart = OpenImpressions(RULES, BEGINNING)
    counts = [apart.read([entry], entry.id.ms)[1] for entry in (early, page)]

    assert {("click", outcome): 1} == dict(together.events)
    assert together.events == counts[0].events + counts[1].events


def test_an_event_without_impression_is_unknown_while_the_stream_is_idle() -> None:
    """
    The clock alone ends its waiting.
    """
    shown = OpenImpressions(RULES, BEGINNING)
    shown.read(entries((0, event("click", "b"))), T0)

    assert {("click", "unknown"): 1} == dict(shown.read((), T0 + 120_001)[1].events)


def test_a_record_written_twice_counts_once() -> None:
    """
    As a writer leaves it that couldn't know whether Redis had taken a batch. A user's own second
    event is received at another time, and is refused once, however often it is written.
    """
    once, twice = (event("click", "b", event_id="e", after=after) for after in (2, 3))
    batch = [(0, impression()), (1, shadows("i", result())), (3, once), (3, twice)]
    changes, counts = read(*batch, *batch, clock=MINUTE)

    assert 1 == len(changes)
    assert {"read": 4, "duplicate": 4} == dict(counts.records)
    assert {("click", "credited"): 1, ("click", "refused_duplicate"): 1} == dict(counts.events)


@pytest.mark.parametrize(("come", "outcome"), [(9, "credited"), (5 * MINUTE, "unknown")])
def test_a_record_written_twice_before_its_impression_counts_once(come: int, outcome: str) -> None:
    """
    Whether the impression comes in time or not.
    """
    batch = [(0, event("click", "b")), (0, shadows("i", result()))]
    _, counts = read(*batch, *batch, (come, impression()), clock=come)

    assert {("click", outcome): 1} == dict(counts.events)
    assert 2 == counts.records["duplicate"]


@pytest.mark.parametrize("first", [0, 1])
def test_a_flood_of_events_costs_no_more_than_its_length(first: int) -> None:
    """
    On one impression, whether it comes before them or after: the first 1,000 of the stream are
    taken, the rest is counted.
    """
    flood = [(first, event("click", "b", after=number)) for number in range(20_000)]
    page = (1 - first, impression())
    stream = entries(*([page, *flood] if first else [*flood, page]))
    shown = OpenImpressions(RULES, BEGINNING)
    began = perf_counter()
    counts = [shown.read(stream[at : at + 4000], T0 + 9)[1] for at in range(0, len(stream), 4000)]
    seconds = perf_counter() - began
    (change,), _ = shown.read((), T0 + 2 * MINUTE)

    assert seconds < 2
    assert {("click", "credited"): MAX_EVENTS, ("click", "refused_excess"): 19_000} == sum(
        (each.events for each in counts), Counter()
    )
    assert ((2, 1),) == change.after


def test_a_flood_that_waits_in_vain_costs_no_more_than_its_length() -> None:
    """
    It leaves one by one, as it came.
    """
    flood = [(number, event("click", "b", after=number)) for number in range(20_000)]
    others = [(120_001 + number, impression(f"{number}")) for number in range(20_000)]
    began = perf_counter()
    _, counts = read(*flood, *others, clock=141_000)
    seconds = perf_counter() - began

    assert seconds < 2
    assert {("click", "unknown"): 20_000} == dict(counts.events)


def test_what_is_no_record_is_counted_and_skipped() -> None:
    """
    Damage, or another version.
    """
    changes, counts = read((0, b"\xc1"), (1, b""), (2, impression()), clock=2 * MINUTE)

    assert 1 == len(changes)
    assert {"undecodable": 2, "read": 1} == dict(counts.records)


def test_impressions_are_forgotten_after_their_session() -> None:
    """
    With their folding, if one batch spans it all; a click after that is of an unknown page.
    """
    shown = OpenImpressions(RULES, BEGINNING)
    stream = entries((0, impression()), (40 * MINUTE, impression("later")))

    changes, _ = shown.read(stream, T0 + 40 * MINUTE)

    assert [b"i"] == [each.impression.id for each in changes]
    assert 1 == len(shown)


def test_impressions_of_other_sums_change_nothing() -> None:
    """
    Up to `since`, they are known only for their events.
    """
    stream = entries((0, impression()), (0, impression("ours")), (1, event("click", "b")))
    shown = OpenImpressions(RULES, RecordId(T0, 0))

    changes, counts = shown.read(stream, T0 + MINUTE)

    assert [b"ours"] == [each.impression.id for each in changes]
    assert {("click", "credited"): 1} == dict(counts.events)


STREAM = entries(
    (0, impression("x", sampled=("rrf20",))),
    (500, event("click", "b", name="x")),
    (900, event("click", "a", name="y")),
    (1_000, impression("y", sampled=("rrf20",))),
    (2_000, shadows("x", result())),
    (50_000, shadows("y", result(docs="b"))),
    (70_000, event("beat", "b", after=70_000, name="x", dwell_ms=60_000)),
    (5 * MINUTE, event("click", "c", name="y")),
    (31 * MINUTE, event("click", "a", after=7, name="x")),
    (34 * MINUTE, impression("z")),
)


@given(st.lists(st.integers(0, len(STREAM)), max_size=6))
def test_batches_do_not_matter(cuts: list[int]) -> None:
    """
    What is folded in the end, and what is counted, is a function of the stream.
    """

    assert totals([0, len(STREAM)]) == totals(sorted([0, *cuts, len(STREAM)]))


def totals(cuts: list[int]) -> object:
    """The last change of each impression and all counts, read in the given pieces."""
    shown = OpenImpressions(RULES, BEGINNING)
    last: dict[bytes, object] = {}
    events: dict[tuple[str, str], int] = {}
    clock = T0
    for start, end in pairwise(cuts):
        batch: list[Entry] = STREAM[start:end]
        clock = max([clock, *(entry.id.ms for entry in batch)])
        for pause in (clock, clock + 3 * MINUTE) if end == len(STREAM) else (clock,):
            changes, counts = shown.read(batch, pause)
            batch = []
            for change in changes:
                last[change.impression.id] = (change.after, change.results)
            for key, number in counts.events.items():
                events[key] = events.get(key, 0) + number
    return last, events
