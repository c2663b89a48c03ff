"""`once`: what the log says now, read and printed; nothing is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from redis.exceptions import RedisError

from config.schema import EMBEDDED, Settings
from evaluator.connecting import connected
from evaluator.report import CAVEAT, report
from evaluator.route import stores_of
from evaluator.rules import rules
from evaluator.shard import Shard, restore, work
from evaluator.snapshot import members, snapshot
from evaluator.store import ShardStore

FILES: Final = "appendonly*"
"""Where a private Redis keeps its data, a file or (from Redis 7 on) a folder; made at its start."""


class NoLog(Exception):
    """No event log can be read where the configuration says. Exit code 2."""


async def once(settings: Settings, environ: Mapping[str, str]) -> str:
    """A table per route, and what they can't tell.

    Raises `NoLog` and `RedisMissing`. A private Redis that isn't running is
    started for the time being, but none is begun.
    """
    if settings.events.redis == EMBEDDED:
        _begun(Path(settings.state_dir))
    try:
        return await _tables(settings, environ)
    except RedisError as exc:  # a timeout doesn't say of whom
        raise NoLog(f"cannot read the log in {settings.events.redis}: {exc}") from exc


async def _tables(settings: Settings, environ: Mapping[str, str]) -> str:
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


def _begun(state_dir: Path) -> None:
    """Raise `NoLog` for a folder in which no private Redis ever ran."""
    if not any(state_dir.glob(FILES)):
        raise NoLog(
            f"there is no event log in the folder {state_dir.absolute()}: no private Redis ever "
            "ran there (a relative state_dir is looked up from the current folder)"
        )


async def _caught_up(store: ShardStore) -> Shard:
    """The committed state and whatever has come since, in memory only."""
    shard = await restore(store)
    while True:
        batch = await store.read(shard.state.position)
        done = work(shard, batch)
        shard = replace(shard, state=done.step.after, clock=done.clock)
        if not batch.entries:
            return shard
