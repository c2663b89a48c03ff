"""One shard between two rounds: its state, what is still open in it, and how both move on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from evaluator.counts import Counts
from evaluator.fold import fold
from evaluator.open_impressions import OpenImpressions
from evaluator.rules import PENDING_MS
from evaluator.state import State
from evaluator.store import Batch, ShardStore, Step


@dataclass(slots=True)
class Shard:
    """A shard as this process knows it: committed sums and, beside them, what can still change.

    `clock` is the stream's, in milliseconds: the last record id or, while there is nothing new,
    Redis' clock.
    """

    store: ShardStore
    state: State
    open: OpenImpressions
    clock: int


class Work(NamedTuple):
    """What a batch comes to: the step to commit, its clock, what to count."""

    step: Step
    clock: int
    counts: Counts

    @property
    def idle(self) -> bool:
        """Nothing was read and nothing has changed: there is nothing to commit."""
        return not self.step.changes and self.step.before.position == self.step.after.position


async def restore(store: ShardStore) -> Shard:
    """The shard as it was committed; what is still open is read again from the stream."""
    state = await store.load()
    opened = OpenImpressions(store.rules, state.since)
    reach = store.rules.session_ms + 2 * PENDING_MS
    async for entries in store.replay(state.position.ms - reach, state.position):
        opened.read(entries, min(entries[-1].id.ms, state.clock))
    opened.read((), state.clock)
    return Shard(store, state, opened, state.clock)


def work(shard: Shard, batch: Batch) -> Work:
    """Fold a batch: no I/O, but what is open in the shard moves on, so it must be committed or the
    shard restored.
    """
    rules, before = shard.store.rules, shard.state
    if batch.entries:
        position, clock = batch.entries[-1].id, max(shard.clock, batch.entries[-1].id.ms)
    else:
        position, clock = before.position, max(shard.clock, batch.now - 1)
    changes, counts = shard.open.read(batch.entries, clock)
    delta = fold(changes, rules)
    after = before.add(delta, position, clock, rules)
    return Work(Step(before, after, delta, changes), clock, counts)
