"""Tests of proxy.model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.model import LOGGED_DEPTH, MAX_DEPTH, Query, RankedList, digest, unit


def query(size: int, offset: int = 0) -> Query:
    """A query for a page."""
    return Query(id="t", nonce=b"n", route="faq", text="a", size=size, offset=offset)


@given(st.lists(st.binary(), max_size=4), st.lists(st.binary(), max_size=4))
def test_different_fields_have_different_digests(one: list[bytes], other: list[bytes]) -> None:
    """
    The length of each field counts, so that moving a border is a difference.
    """

    assert (one == other) == (digest(*one) == digest(*other))


def test_a_digest_is_eight_bytes_and_never_changes() -> None:
    """
    Versions, shards and shares of years hang on it: a golden value.
    """

    assert "88f5e1cfb74ccc43" == digest(b"ab", b"c").hex()


@given(st.binary())
def test_a_unit_is_from_0_to_below_1(field: bytes) -> None:
    """
    A rate of 1 takes everything, a rate of 0 nothing.
    """

    assert 0 <= unit(field) < 1


def test_units_are_spread_evenly() -> None:
    """
    Of many, each tenth gets about a tenth.
    """
    drawn = [unit(str(number).encode()) for number in range(10_000)]
    tenths = [sum(tenth <= 10 * value < tenth + 1 for value in drawn) for tenth in range(10)]

    assert all(900 < count < 1100 for count in tenths)


@pytest.mark.parametrize(
    ("size", "offset", "depth"),
    [(0, 0, LOGGED_DEPTH), (5, 0, 10), (10, 20, 30), (10, 95, MAX_DEPTH)],
)
def test_lists_reach_the_end_of_the_page_and_what_is_logged(
    size: int, offset: int, depth: int
) -> None:
    """
    Never less than ten, so that pages of five can be judged at ten; never more than 100.
    """

    assert depth == query(size, offset).depth


def test_ranks_count_from_one() -> None:
    """
    A document may have a rank without a score.
    """
    ranked = RankedList(("a", "b"), (0.5, None))

    assert [(1, "a", 0.5), (2, "b", None)] == list(ranked.ranks())
    assert 2 == len(ranked)


def test_the_top_of_a_list_is_a_list() -> None:
    """
    Asking for more than there is changes nothing, and the list itself never changes.
    """
    ranked = RankedList(("a", "b", "c"), (3.0, 2.0, 1.0))

    assert RankedList(("a", "b"), (3.0, 2.0)) == ranked.top(2)
    assert ranked is ranked.top(3)
    assert RankedList() == ranked.top(0)
