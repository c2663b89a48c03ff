"""One shard in Redis."""

from __future__ import annotations

from dataclasses import replace

import pytest
from redis.asyncio import Redis

from evaluator.fold import fold
from evaluator.open_impressions import Change
from evaluator.qrels_store import QrelsStore
from evaluator.records import BEGINNING, RecordId
from evaluator.rules import Rules
from evaluator.state import Delta, Slot, State
from evaluator.store import Overtaken, ShardStore, Step
from proxy.events import keys
from tests.evaluator.made import RULES, T0, entries, event, impression, rules, write


def store_of(client: Redis, under: Rules = RULES) -> ShardStore:
    """The store of shard 0 of faq."""
    return ShardStore(client, "faq", 0, under, QrelsStore("faq", 0, 100))


def step(before: State, number: int = 0) -> Step:
    """A step that folds one impression."""
    changes = [Change(T0, impression(f"i{number}"), (), None, ((1, 1),), False)]
    delta = fold(changes, RULES)
    after = before.add(delta, RecordId(T0, number), T0 + number, RULES)
    return Step(before, after, delta, changes)


async def test_state_position_and_qrels_are_committed_together(client: Redis) -> None:
    """
    And loaded as they were.
    """
    store = store_of(client)
    state, evicted = await store.commit(step(await store.load()))

    loaded = await store.load()

    assert 0 == evicted
    assert (state.position, state.clock, state.stored) == (
        loaded.position, loaded.clock, loaded.stored,
    )  # fmt: skip
    assert {slot: cell.pack() for slot, cell in state.cells.items()} == {
        slot: cell.pack() for slot, cell in loaded.cells.items()
    }
    assert f"{T0}-0".encode() == await client.get(keys.position_key("faq", 0))
    assert [b"q"] == await client.hkeys(keys.qrels_key("faq", 0))


async def test_the_loser_of_two_writes_nothing(client: Redis) -> None:
    """
    Whoever began with a state that isn't stored any more; then it reads again and goes on.
    """
    store = store_of(client)
    before = await store.load()
    await store.commit(step(before))

    with pytest.raises(Overtaken):
        await store.commit(step(before, 1))

    state, _ = await store.commit(step(await store.load(), 1))
    assert [2.0] == [cell.vector[0] for slot, cell in state.cells.items() if slot.role == "live"]


async def test_a_redis_that_lost_everything_begins_anew(client: Redis) -> None:
    """
    Sums of a log that is gone aren't written into another.
    """
    store = store_of(client)
    state, _ = await store.commit(step(await store.load()))
    await client.flushall()

    with pytest.raises(Overtaken):
        await store.commit(step(state, 1))
    assert BEGINNING == (await store.load()).position


async def test_other_rules_begin_at_zero_where_the_others_have_come_to(client: Redis) -> None:
    """
    What was counted isn't counted again; going back finds the old sums and leaves the gap.
    """
    first, second = store_of(client), store_of(client, rules(satisfied_ms=1000))
    await first.commit(step(await first.load()))
    fresh = await second.load()
    moved = fresh.add(Delta(), RecordId(T0, 5), T0 + 5, second.rules)
    await second.commit(Step(fresh, moved, Delta(), ()))

    back = await first.load()

    assert ({}, RecordId(T0, 0), RecordId(T0, 0)) == (fresh.cells, fresh.position, fresh.since)
    assert 2 == len(back.cells)
    assert (RecordId(T0, 5), RecordId(T0, 5)) == (back.position, back.since)
    await first.commit(step(back, 9))


async def test_other_rules_that_went_on_make_ours_void(client: Redis) -> None:
    """
    Two evaluators under different rules don't take turns on one position.
    """
    first, second = store_of(client), store_of(client, rules(satisfied_ms=1000))
    ours, theirs = await first.load(), await second.load()
    moved = theirs.add(Delta(), RecordId(T0, 5), T0 + 5, second.rules)
    await second.commit(Step(theirs, moved, Delta(), ()))

    with pytest.raises(Overtaken):
        await first.commit(step(ours))


async def test_expired_cells_are_deleted(client: Redis) -> None:
    """
    And the whole state, some time after nobody writes it.
    """
    store = store_of(client)
    state, _ = await store.commit(step(await store.load()))
    later = state.add(Delta(), RecordId(T0, 9), T0 + 48 * RULES.bucket_ms, RULES)

    await store.commit(Step(state, later, Delta(), ()))

    key = keys.state_key("faq", 0, RULES.judging)
    assert {b"at", b"newest:live:rrf60"} == set(await client.hkeys(key))
    assert 24 * RULES.bucket_ms < await client.pttl(key) <= 25 * RULES.bucket_ms


async def test_a_batch_comes_with_the_clock_from_before_it(client: Redis) -> None:
    """
    So an empty one says that nothing older than the clock is unread.
    """
    stream = entries((0, impression()), (1, event("click")))
    await write(client, stream)
    await client.xadd(keys.log_key("faq", 0), {"other": "field"}, id=f"{T0 + 9}-0")
    store = store_of(client)

    batch = await store.read(BEGINNING)
    rest = await store.read(batch.entries[-1].id)

    assert [*stream, (RecordId(T0 + 9, 0), b"")] == batch.entries
    assert [] == rest.entries
    seconds, micros = await client.time()
    assert T0 < batch.now <= rest.now <= seconds * 1000 + micros // 1000


async def test_the_past_is_read_again_from_a_time_to_a_position(client: Redis) -> None:
    """
    Both ends belong to it.
    """
    stream = entries(*((at, impression(f"i{at}")) for at in range(5)))
    await write(client, stream)

    found = [batch async for batch in store_of(client).replay(T0 + 1, stream[3].id)]

    assert [stream[1:4]] == found


async def test_a_stream_says_how_large_it_is(client: Redis) -> None:
    """
    And how much was trimmed unread; 0 of both before there is one.
    """
    store = store_of(client)
    assert (0, 0) == await store.gauges()
    await write(client, entries((0, impression())))
    await client.incrby(keys.trimmed_key("faq", 0), 7)

    gauges = await store.gauges()

    assert gauges.memory > 0
    assert 7 == gauges.trimmed


async def test_a_correction_of_an_expired_bucket_is_dropped(client: Redis) -> None:
    """
    It would leave a cell without its n.
    """
    store = store_of(client)
    state = replace(await store.load(), clock=T0)
    old = Change(T0 - 48 * RULES.bucket_ms, impression(), (), (), ((1, 1),), False)
    delta = fold([old], RULES)
    after = state.add(delta, RecordId(T0, 0), T0, RULES)

    committed, _ = await store.commit(Step(state, after, delta, [old]))

    assert {} == committed.cells
    assert {} == (await store.load()).cells
    assert not any(isinstance(slot, Slot) for slot in committed.cells)
