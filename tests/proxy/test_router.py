from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from proxy.router import choose, sampled, shard_of, sticky_key

KEYS = [str(n).encode() for n in range(4_000)]
shares = st.lists(st.integers(0, 10), min_size=2, max_size=5).filter(any)


def named(weights: list[int]) -> list[tuple[str, float]]:
    total = sum(weights)
    return [(f"p{i}", weight / total) for i, weight in enumerate(weights)]


@given(shares, st.binary(min_size=1, max_size=32))
def test_the_same_key_gets_the_same_pipeline_in_any_order(weights: list[int], key: bytes):
    """
    A decision depends on names and shares, not on how they are listed.
    """
    listed = named(weights)
    backwards = listed[::-1]

    chosen, again = choose("faq", listed, key), choose("faq", backwards, key)

    assert listed[chosen] == backwards[again]


@given(shares, st.integers(0, 4), st.floats(0.01, 1.0), st.binary(min_size=1, max_size=32))
def test_raising_a_share_takes_nobody_out_of_it(
    weights: list[int], which: int, part: float, key: bytes
):
    """
    Who had a pipeline keeps it when its share grows at the others' expense.
    """
    before = named(weights)
    grown = which % len(before)
    name, share = before[grown]
    after = [(other, s * (1 - part)) for other, s in before]
    after[grown] = (name, share + (1 - share) * part)

    if choose("faq", before, key) == grown:
        assert grown == choose("faq", after, key)


@given(shares, st.binary(min_size=1, max_size=32))
def test_a_share_of_zero_gets_nobody(weights: list[int], key: bytes):
    """
    A pipeline without a share is never live.
    """
    listed = named(weights)

    assert listed[choose("faq", listed, key)][1] > 0


def test_shares_are_met():
    """
    Over many users every pipeline gets its share, within four standard errors.
    """
    listed = [("a", 0.7), ("b", 0.25), ("c", 0.05)]

    got = Counter(choose("faq", listed, key) for key in KEYS)

    for index, (_, share) in enumerate(listed):
        error = (share * (1 - share) / len(KEYS)) ** 0.5
        assert abs(got[index] / len(KEYS) - share) < 4 * error


def test_routes_decide_independently():
    """
    Who gets a pipeline on one route says nothing of another route.
    """
    listed = [("a", 0.5), ("b", 0.5)]

    same = sum(choose("one", listed, key) == choose("two", listed, key) for key in KEYS)

    assert abs(same / len(KEYS) - 0.5) < 0.04


@given(st.binary(min_size=16, max_size=16), st.floats(0, 1), st.floats(0, 1))
def test_sampling_is_nested(nonce: bytes, one: float, two: float):
    """
    A query seen at a rate is seen at every higher rate, whichever shadow has it.
    """
    low, high = sorted((one, two))

    seen = sampled("faq", [("low", low), ("high", high)], nonce)

    assert seen in ((), ("high",), ("low", "high"))


@given(st.binary(min_size=16, max_size=16))
def test_sampling_at_the_ends(nonce: bytes):
    """
    A rate of one sees every query, a rate of zero none.
    """
    assert ("all",) == sampled("faq", [("all", 1.0), ("none", 0.0)], nonce)


def test_sampling_meets_its_rate_and_ignores_the_live_choice():
    """
    A tenth is a tenth, also among the queries of one live pipeline.
    """
    listed = [("a", 0.5), ("b", 0.5)]
    seen = [bool(sampled("faq", [("s", 0.1)], key)) for key in KEYS]
    among = [s for s, key in zip(seen, KEYS, strict=True) if choose("faq", listed, key) == 0]

    assert abs(sum(seen) / len(seen) - 0.1) < 0.02
    assert abs(sum(among) / len(among) - 0.1) < 0.03


@given(st.binary(min_size=1), st.integers(1, 64))
def test_a_shard_exists(key: bytes, shards: int):
    """
    Every key has one of the shards there are.
    """
    assert shard_of(key, shards) in range(shards)


def test_what_sticks():
    """
    The user counts before the session, and the session before the query.
    """
    assert b"u" == sticky_key(b"u", b"s", b"n")
    assert b"s" == sticky_key(None, b"s", b"n")
    assert b"n" == sticky_key(None, None, b"n")
