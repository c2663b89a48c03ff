"""One shard in Redis: its stream read, its state loaded, and both moved on in one transaction."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final, NamedTuple

from redis.asyncio import Redis
from redis.asyncio.client import Pipeline
from redis.exceptions import WatchError

from evaluator import state_codec
from evaluator.asking import ask, begin
from evaluator.open_impressions import Change
from evaluator.qrels_store import QrelsStore
from evaluator.records import BEGINNING, Entry, RecordId, record_id
from evaluator.rules import BUCKETS, Rules
from evaluator.state import Delta, State, expired
from proxy.events import keys

BATCH: Final = 4000
"""Records read at once: some tenth of a second of work."""
SPARE_MS: Final = 3_600_000
"""How long a state that nobody writes any more outlives its window."""


class Overtaken(Exception):
    """Somebody else has written the state: what was computed from it is void."""


class Batch(NamedTuple):
    """What a stream has after a position; `now` is Redis' clock (ms) just before it was read."""

    entries: list[Entry]
    now: int


class Gauges(NamedTuple):
    """What is known of a stream: its bytes of memory, and records trimmed before they were read."""

    memory: int
    trimmed: int


class Step(NamedTuple):
    """The work of one batch: the changes, what they add, and the state before and after."""

    before: State
    after: State
    delta: Delta
    changes: Sequence[Change]


class Committed(NamedTuple):
    """The state as it is stored now, and how many query keys lost their qrels for want of room."""

    state: State
    evicted: int


@dataclass(frozen=True, slots=True)
class ShardStore:
    """The keys of one shard of a route; `client` must not decode answers."""

    client: Redis
    route: str
    shard: int
    rules: Rules
    qrels: QrelsStore

    @property
    def _log(self) -> str:
        return keys.log_key(self.route, self.shard)

    @property
    def _state(self) -> str:
        return keys.state_key(self.route, self.shard, self.rules.judging)

    @property
    def _position(self) -> str:
        return keys.position_key(self.route, self.shard)

    async def load(self) -> State:
        """The state as committed; where it has none or was left behind, one that begins now.

        That is at the position of other sums (under other rules): what those have read isn't read
        again, so that events and qrels are counted once.
        """
        raw: bytes | None = await ask(self.client, "GET", self._position)
        position = BEGINNING if raw is None else record_id(raw)
        fields = await ask(self.client, "HGETALL", self._state)
        state = state_codec.read(fields, len(self.rules.measures)) or State()
        if state.position >= position:
            return state
        clock = max(state.clock, position.ms)
        return replace(state, position=position, since=position, clock=clock)

    async def read(self, after: RecordId) -> Batch:
        """The next `BATCH` records."""
        async with self.client.pipeline(transaction=False) as asked:
            asked.time()
            asked.xread({self._log: str(after)}, count=BATCH)
            (seconds, micros), streams = await asked.execute()
        found = streams[0][1] if streams else ()
        return Batch(_entries(found), int(seconds) * 1000 + int(micros) // 1000)

    async def replay(self, since_ms: int, to: RecordId) -> AsyncIterator[list[Entry]]:
        """The records from a time to a position, in batches."""
        start = f"{max(0, since_ms)}-0"
        while True:
            found = await ask(self.client, "XRANGE", self._log, start, str(to), "COUNT", BATCH)
            if found:
                yield _entries(found)
            if len(found) < BATCH:
                return
            start = f"({found[-1][0].decode()}"

    async def gauges(self) -> Gauges:
        """What is known of the stream."""
        async with self.client.pipeline(transaction=False) as asked:
            asked.memory_usage(self._log)
            asked.get(keys.trimmed_key(self.route, self.shard))
            memory, trimmed = await asked.execute()
        return Gauges(int(memory or 0), int(trimmed or 0))

    async def commit(self, step: Step) -> Committed:
        """Write state, position and qrels together.

        Raises `Overtaken` if what is stored is no longer what the step began with.
        """
        async with self.client.pipeline(transaction=True) as writing:
            await writing.watch(self._state, self._position)
            stored = await ask(writing, "HGET", self._state, state_codec.AT)
            position = await ask(writing, "GET", self._position)
            if stored != step.before.stored or position not in (None, _id(step.before.position)):
                raise Overtaken(f"{self.route}:{self.shard}")
            kept = await self.qrels.prepare(writing, step.changes, step.after.clock)
            begin(writing)
            self._write(writing, step)
            self.qrels.write(writing, kept)
            try:
                await writing.execute()
            except WatchError as exc:
                raise Overtaken(f"{self.route}:{self.shard}") from exc
        return Committed(replace(step.after, stored=state_codec.at_field(step.after)), kept.evicted)

    def _write(self, writing: Pipeline, step: Step) -> None:
        fields = state_codec.written(step.after, step.delta.cells, step.before)
        writing.execute_command("HSET", self._state, *chain.from_iterable(fields.items()))
        if gone := expired(step.before, step.after):
            writing.hdel(self._state, *map(state_codec.slot_field, gone))
        writing.pexpire(self._state, BUCKETS * self.rules.bucket_ms + SPARE_MS)
        writing.set(self._position, _id(step.after.position))


def _entries(found: Sequence[Any]) -> list[Entry]:
    """From Redis' (id, fields); an entry without a record has empty bytes, which is none."""
    return [Entry(record_id(raw), fields.get(keys.FIELD, b"")) for raw, fields in found]


def _id(position: RecordId) -> bytes:
    return str(position).encode()
