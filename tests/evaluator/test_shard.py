"""One shard between two rounds."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import numpy as np
from redis.asyncio import Redis

from evaluator.open_impressions import MAX_EVENTS
from evaluator.qrels_store import QrelsStore
from evaluator.records import Entry
from evaluator.shard import Shard, restore, work
from evaluator.store import Batch, ShardStore
from proxy.events.records import Record
from tests.evaluator.made import (
    MINUTE,
    RULES,
    T0,
    entries,
    event,
    impression,
    result,
    shadows,
    write,
)


def store_of(client: Redis) -> ShardStore:
    """Shard 0 of faq."""
    return ShardStore(client, "faq", 0, RULES, QrelsStore("faq", 0, 1000))


def traffic(count: int) -> list[Entry]:
    """Impressions with shadows and clicks, some early, some late, over fifty minutes."""
    draw = random.Random(5)
    records: list[tuple[int, Record]] = []
    for number in range(count):
        name, at = f"i{number}", number * 50 * MINUTE // count
        page = impression(name, user=b"%d" % (number % 9), query_key=b"%d" % (number % 40),
                          sampled=("rrf20",))  # fmt: skip
        records.append((at, page))
        records.append((at + draw.choice((30, 50_000, 70_000)), shadows(name, result())))
        for doc in draw.sample("abc", draw.randrange(3)):
            clicked = max(0, at + draw.choice((-5_000, 2_000, 80_000, 20 * MINUTE, 31 * MINUTE)))
            records.append((clicked, event("click", doc, after=clicked, name=name)))
            beat = clicked + 45_000
            dwelled = event("beat", doc, after=beat, name=name, dwell_ms=draw.choice((9, 40_000)))
            records.append((beat, dwelled))
    return entries(*sorted(records, key=lambda record: record[0]))


async def advance(shard: Shard, batch: Batch) -> None:
    """Commit a batch."""
    done = work(shard, batch)
    shard.clock = done.clock
    shard.state, _ = await shard.store.commit(done.step)


async def test_restarts_do_not_matter(client: Redis) -> None:
    """
    Restored between any two batches or never: n exactly, sums to 1e-9.
    """
    stream = traffic(300)
    await write(client, stream)
    end = Batch([], T0 + 3 * 60 * MINUTE)
    through = await restore(store_of(client))
    await advance(through, Batch(stream, 0))
    await advance(through, end)
    expected = through.state.cells
    await client.delete(*[key for key in await client.keys() if not key.endswith(b":log")])

    draw, at = random.Random(1), 0
    while at < len(stream):
        size = draw.randint(1, 90)
        await advance(await restore(store_of(client)), Batch(stream[at : at + size], 0))
        at += size
    last = await restore(store_of(client))
    await advance(last, end)

    assert expected.keys() == last.state.cells.keys()
    for slot, cell in expected.items():
        assert cell.vector[0] == last.state.cells[slot].vector[0]
        assert np.abs(cell.vector - last.state.cells[slot].vector).max() <= 1e-9
        assert cell.queries.tolist() == last.state.cells[slot].queries.tolist()
    assert through.state.newest == last.state.newest


async def test_restarts_do_not_matter_to_a_flood(client: Redis) -> None:
    """
    The first 1,000 events of the stream are taken, restored after any batch.
    """
    clicks = [(1, event("click", "b", after=number)) for number in range(MAX_EVENTS - 1)]
    last = [(2, event("click", "a", after=2)), (3, event("click", "c", after=3))]
    stream = entries((0, impression()), *clicks, *last)
    await write(client, stream)
    counted: Counter[tuple[str, str]] = Counter()
    for start, end in pairwise((0, 400, 900, MAX_EVENTS + 1, len(stream))):
        done = work(await restore(store_of(client)), Batch(stream[start:end], 0))
        await store_of(client).commit(done.step)
        counted += done.counts.events
    (change,), _ = (await restore(store_of(client))).open.read((), T0 + MINUTE)

    assert {("click", "credited"): MAX_EVENTS, ("click", "refused_excess"): 1} == counted
    assert ((1, 1), (2, 1)) == change.after


async def test_an_idle_stream_is_judged_by_redis_clock(client: Redis) -> None:
    """
    Nothing new, and yet what has settled is folded; then there is nothing to do.
    """
    await write(client, entries((0, impression())))
    store = store_of(client)
    shard = await restore(store)
    await advance(shard, await store.read(shard.state.position))
    assert {} == shard.state.cells

    done = work(shard, Batch([], T0 + MINUTE + 1))

    assert {"live", "served"} == {slot.role for slot in done.step.after.cells}
    assert not done.idle
    shard.state = done.step.after
    assert work(shard, Batch([], T0 + 2 * MINUTE)).idle


async def test_a_fresh_state_under_new_rules_leaves_older_impressions_alone(client: Redis) -> None:
    """
    Their later clicks are credited and change no sum: their n is in other sums.
    """
    stream = entries((0, impression()), (2 * MINUTE, impression("new")))
    await write(client, stream)
    await client.set("shadowrank:{faq:0}:position", f"{T0}-0")
    shard = await restore(store_of(client))
    clicks = entries((3 * MINUTE, event("click")), (3 * MINUTE, event("click", name="new")))

    done = work(shard, Batch([*stream[1:], *clicks], 0))

    assert {("click", "credited"): 2} == dict(done.counts.events)
    assert [b"new"] == [change.impression.id for change in done.step.changes]
