"""Proxy qrels in Redis."""

from __future__ import annotations

from redis.asyncio import Redis

from evaluator.asking import begin
from evaluator.open_impressions import Change
from evaluator.qrels import KEEP_MS, Document, read
from evaluator.qrels_store import QrelsStore
from proxy.events import keys
from tests.evaluator.made import T0, impression


def change(query: str, ms: int = T0) -> Change:
    """One page of one document, shown for a query."""
    page = impression(f"{query}-{ms}", "a", query_key=query.encode())
    return Change(ms, page, (), None, (), False)


async def store(client: Redis, room: int, *changes: Change, clock: int = T0) -> int:
    """Store the changes; how many query keys had to make room."""
    qrels = QrelsStore("faq", 0, room)
    async with client.pipeline(transaction=True) as writing:
        await writing.watch(keys.qrels_key("faq", 0))
        kept = await qrels.prepare(writing, changes, clock)
        begin(writing)
        qrels.write(writing, kept)
        await writing.execute()
    return kept.evicted


async def stored(client: Redis) -> dict[bytes, dict[str, Document]]:
    """What is stored, which both keys agree on."""
    found: dict[bytes, bytes] = await client.hgetall(keys.qrels_key("faq", 0))
    assert set(found) == set(await client.zrange(keys.seen_key("faq", 0), 0, -1))
    return {query: read(raw) for query, raw in found.items()}


async def test_qrels_add_up(client: Redis) -> None:
    """
    From one commit to the next.
    """
    await store(client, 9, change("q", T0))
    await store(client, 9, change("q", T0 + 5))

    assert {b"q": {"a": Document(T0 + 5, 0, 0, [2])}} == await stored(client)


async def test_beyond_the_room_the_least_recent_go(client: Redis) -> None:
    """
    And are counted; never those that were just seen.
    """
    await store(client, 3, *(change(f"q{number}", T0 + number) for number in range(3)))
    evicted = await store(client, 3, change("new", T0 + 9), change("q0", T0 + 9))

    assert 1 == evicted
    assert {b"q0", b"q2", b"new"} == set(await stored(client))


async def test_what_was_not_seen_for_four_weeks_goes(client: Redis) -> None:
    """
    That isn't for want of room.
    """
    await store(client, 9, change("old"), change("kept", T0 + 1))
    evicted = await store(client, 9, change("new", T0 + KEEP_MS), clock=T0 + KEEP_MS)

    assert 0 == evicted
    assert {b"kept", b"new"} == set(await stored(client))


async def test_a_query_seen_again_after_four_weeks_goes_on(client: Redis) -> None:
    """
    What expires in the moment it comes back is not forgotten.
    """
    await store(client, 9, change("q"))
    await store(client, 9, change("q", T0 + KEEP_MS), clock=T0 + KEEP_MS)

    assert {b"q": {"a": Document(T0 + KEEP_MS, 0, 0, [2])}} == await stored(client)
