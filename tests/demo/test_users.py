"""The simulated users: the same each time, tired at the bottom, and drawn to what is relevant."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest

from demo.users import CLICKED, DECAY, LONG, SHORT, Click, Visit, clicks, visits

PAGE = tuple(f"d{position}" for position in range(1, 11))
TRIALS = 20_000


def first(n: int, *, seed: int = 1, claims: int = 300, rate: float = 50.0) -> list[Visit]:
    return list(islice(visits(seed, claims, rate), n))


def test_the_same_seed_brings_the_same_users():
    """
    Visits depend on nothing but the seed.
    """
    assert first(500, seed=7) == first(500, seed=7)
    assert first(500, seed=7) != first(500, seed=8)


def test_visits_are_numbered_in_order():
    """
    A visit's number is its place, so that what it does can be drawn from it.
    """
    assert list(range(50)) == [visit.number for visit in first(50)]


def test_many_users_search_once_and_some_often():
    """
    Of a minute's users most come once, and the busiest one dozens of times.
    """
    searches = Counter(visit.user for visit in first(2500))

    once = sum(n == 1 for n in searches.values())
    assert once > len(searches) / 2
    assert searches.most_common(1)[0][1] > 20


def test_a_session_belongs_to_one_user_and_is_short():
    """
    No session has two users or more than three searches.
    """
    found = first(2500)
    users = {(visit.session, visit.user) for visit in found}

    assert len(users) == len({session for session, _ in users})
    assert 3 == max(Counter(visit.session for visit in found).values())


def test_every_claim_is_as_likely_as_another():
    """
    Claims are drawn evenly: the truth weighs each once, too.
    """
    found = Counter(visit.claim for visit in first(30_000, claims=10))

    assert set(range(10)) == set(found)
    assert min(found.values()) == pytest.approx(max(found.values()), rel=0.1)


def test_users_arrive_at_the_rate_asked_for():
    """
    Gaps between visits average one over the rate.
    """
    gaps = [visit.after for visit in first(20_000, rate=50.0)]

    assert sum(gaps) / len(gaps) == pytest.approx(1 / 50, rel=0.03)


def clicked(position: int, relevant: frozenset[str]) -> float:
    """The share of users who click what stands at a position."""
    doc_id = PAGE[position - 1]
    hits = (clicks(1, number, PAGE, relevant) for number in range(TRIALS))
    return sum(any(click.doc_id == doc_id for click in found) for found in hits) / TRIALS


@pytest.mark.parametrize("position", [1, 3, 10])
def test_a_relevant_document_is_clicked_as_often_as_its_rank_is_looked_at(position: int):
    """
    Clicks on what is relevant fall with the rank, by the position-based model.
    """
    expected = CLICKED[True] / position**DECAY

    assert clicked(position, frozenset(PAGE)) == pytest.approx(expected, abs=0.015)


def test_an_irrelevant_document_is_hardly_clicked():
    """
    What isn't relevant is opened by mistake only.
    """
    assert clicked(1, frozenset()) == pytest.approx(CLICKED[False], abs=0.005)


def many(relevant: frozenset[str]) -> list[Click]:
    return [click for n in range(5000) for click in clicks(1, n, PAGE, relevant)]


def test_what_a_visit_does_depends_on_its_number_and_the_page_alone():
    """
    The same visit to the same page is the same, whenever it is drawn.
    """
    relevant = frozenset({"d1", "d4"})

    assert clicks(1, 17, PAGE, relevant) == clicks(1, 17, PAGE, relevant)
    assert len({clicks(1, n, PAGE, relevant) for n in range(50)}) > 10


def test_readers_stay_with_what_is_relevant():
    """
    Most clicks on relevant documents are followed by a long dwell, few of the others.
    """
    good, bad = many(frozenset(PAGE)), many(frozenset())

    assert sum(click.dwell >= LONG[0] for click in good) / len(good) > 0.8
    assert sum(click.dwell >= LONG[0] for click in bad) / len(bad) < 0.15


def test_a_dwell_is_long_or_short():
    """
    Nobody stays for a time that could be taken for either.
    """
    for click in many(frozenset(PAGE)):
        assert LONG[0] <= click.dwell <= LONG[1] or SHORT[0] <= click.dwell <= SHORT[1]


def test_only_a_long_stay_can_end_with_a_beat():
    """
    Every document is left by a hide, or after a while by a tab that is closed.
    """
    found = many(frozenset(PAGE))

    assert {"hide", "beat"} == {click.leaves for click in found}
    assert all(click.dwell >= LONG[0] for click in found if click.leaves == "beat")


def test_clicks_name_the_position_of_their_document():
    """
    Positions count from 1, from top to bottom.
    """
    for number in range(200):
        found = clicks(1, number, PAGE, frozenset(PAGE))
        assert [PAGE[click.position - 1] for click in found] == [click.doc_id for click in found]
        assert sorted(click.position for click in found) == [click.position for click in found]


def test_an_empty_page_is_left_alone():
    """
    Where nothing was found there is nothing to click.
    """
    assert () == clicks(1, 1, (), frozenset({"d1"}))
