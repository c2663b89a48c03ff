"""Tests of proxy.events.keys."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from evaluator.rules import PENDING_MS
from proxy.events import keys

OF_A_SHARD = [
    keys.log_key,
    lambda route, shard: keys.state_key(route, shard, "abc"),
    keys.position_key,
    keys.trimmed_key,
    keys.qrels_key,
    keys.seen_key,
]


def test_the_names_are_a_public_format() -> None:
    """
    Another version of ours, and an operator's ACL, must find them: golden values.
    """

    assert "shadowrank:{faq:3}:log" == keys.log_key("faq", 3)
    assert "shadowrank:{faq:3}:state:abc" == keys.state_key("faq", 3, "abc")
    assert "shadowrank:shards" == keys.SHARDS
    assert b"r" == keys.FIELD


@pytest.mark.parametrize("key", OF_A_SHARD)
def test_all_keys_of_a_shard_share_a_hash_tag(key: Callable[[str, int], str]) -> None:
    """
    One slot of a cluster, so that they can be written in one transaction.
    """

    assert key("faq", 3).startswith("shadowrank:{faq:3}:")


def test_no_two_keys_are_the_same() -> None:
    """
    Neither two kinds of one shard nor two shards of one kind.
    """
    named = {key(route, shard) for key in OF_A_SHARD for route in ("a", "b") for shard in (0, 1)}

    assert 4 * len(OF_A_SHARD) == len(named)


def test_what_an_evaluator_reads_again_is_kept_for_it() -> None:
    """
    Trimming keeps as much before the position as a restarted evaluator asks for.
    """

    assert 2 * PENDING_MS == 1000 * keys.REREAD_SLACK_SECONDS
