"""`once`: what the log says now, read and printed; nothing is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from config.schema import Settings
from evaluator.connecting import connected
from evaluator.report import CAVEAT, report
from evaluator.route import stores_of
from evaluator.rules import rules
from evaluator.shard import Shard, restore, work
from evaluator.snapshot import members, snapshot
from evaluator.store import ShardStore


async def once(settings: Settings, environ: Mapping[str, str]) -> str:
    """A table per route, and what they can't tell. Raises `RedisMissing` and redis-py's errors."""
    judged_by = rules(settings)
    tables = []
    async with connected(settings, environ) as clients:
        for name, route in settings.routes:
            stores = stores_of(clients.data, name, settings.events.shards, judged_by)
            shards = [await _caught_up(store) for store in stores]
            clock = max(shard.clock for shard in shards)
            said = snapshot([shard.state for shard in shards], members(route), judged_by, clock)
            tables.append(report(name, said, [str(measure) for measure in judged_by.measures]))
    return "\n".join([*tables, CAVEAT])


async def _caught_up(store: ShardStore) -> Shard:
    """The committed state and whatever has come since, in memory only."""
    shard = await restore(store)
    while True:
        batch = await store.read(shard.state.position)
        done = work(shard, batch)
        shard = replace(shard, state=done.step.after, clock=done.clock)
        if not batch.entries:
            return shard
