"""One route between two rounds."""

from __future__ import annotations

from time import time_ns

import pytest
from prometheus_client import CollectorRegistry
from redis.asyncio import Redis
from redis.exceptions import RedisError

from evaluator.metrics import Metrics
from evaluator.records import Entry, RecordId
from evaluator.route import RouteFold, open_routes
from proxy.events import keys
from proxy.events.records import encode
from tests.evaluator.made import MINUTE, event, impression, settings, write


def opened(client: Redis, registry: CollectorRegistry | None = None) -> RouteFold:
    """The route faq, one shard."""
    (route,) = open_routes(client, settings(), Metrics(registry or CollectorRegistry()))
    return route


def recent(count: int, first: int = 0) -> list[Entry]:
    """Impressions of two minutes ago, each with a click."""
    start = time_ns() // 1_000_000 - 2 * MINUTE
    stream = []
    for number in range(first, first + count):
        stream += [
            Entry(RecordId(start, 2 * number + 1), encode(impression(f"i{number}"))),
            Entry(RecordId(start, 2 * number + 2), encode(event("click", name=f"i{number}"))),
        ]
    return stream


async def test_a_round_says_what_the_stream_comes_to(client: Redis) -> None:
    """
    With what the log says of itself.
    """
    stream = recent(3)
    await write(client, stream)
    route = opened(client)

    report = await route.round()

    assert report is not None
    assert 3 == report.snapshot.served.n
    assert report.memory > 0
    assert stream[-1].id.ms / 1000 == report.last_record
    assert str(stream[-1].id).encode() == await client.get(keys.position_key("faq", 0))


async def test_a_round_without_news_says_the_same_at_once(client: Redis) -> None:
    """
    The very same snapshot: nothing is computed again.
    """
    await write(client, recent(3))
    route = opened(client)
    first, second = await route.round(), await route.round()

    assert first is not None
    assert second is not None
    assert first.snapshot is second.snapshot


async def test_the_loser_reads_again_and_says_nothing(client: Redis) -> None:
    """
    Then it goes on from what the winner has written; nothing is counted twice.
    """
    await write(client, recent(2))
    registry = CollectorRegistry()
    ours, theirs = opened(client, registry), opened(client)
    await ours.round()
    start = recent(1, first=2)
    await write(client, start)
    await theirs.round()
    later = recent(1, first=3)
    await write(client, later)

    void, after = await ours.round(), await ours.round()

    assert void is None
    assert after is not None
    assert 4 == after.snapshot.served.n
    labels = {"route": "faq"}
    assert 1 == registry.get_sample_value("shadowrank_evaluator_overtaken_total", labels)
    credited = {"route": "faq", "type": "click", "outcome": "credited"}
    assert 3 == registry.get_sample_value("shadowrank_evaluator_events_total", credited)


async def test_a_round_that_redis_cut_off_is_as_if_it_had_not_begun(client: Redis) -> None:
    """
    A full Redis refuses the commit; with room again, the same records are folded once.
    """
    route = opened(client)
    await write(client, recent(2))
    await route.round()
    await write(client, recent(2, first=2))
    await client.config_set("maxmemory", 1)
    with pytest.raises(RedisError):
        await route.round()
    await client.config_set("maxmemory", 0)

    report = await route.round()

    assert report is not None
    assert 4 == report.snapshot.served.n
