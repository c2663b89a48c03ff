"""One route between two rounds: its shards, and what they say together."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from redis.asyncio import Redis

from config.schema import Settings
from evaluator.gauges import RouteReport
from evaluator.metrics import Metrics
from evaluator.qrels import MAX_KEYS
from evaluator.qrels_store import QrelsStore
from evaluator.rules import Rules, rules
from evaluator.shard import Shard, restore, work
from evaluator.snapshot import Member, Snapshot, members, snapshot
from evaluator.store import Overtaken, ShardStore

log = logging.getLogger(__name__)


@dataclass(slots=True)
class RouteFold:
    """A route's shards in this process; one that is None is restored in the next round."""

    name: str
    members: tuple[Member, ...]
    rules: Rules
    stores: tuple[ShardStore, ...]
    metrics: Metrics
    shards: list[Shard | None] = field(default_factory=list)
    _said: tuple[object, Snapshot] | None = None

    async def round(self) -> RouteReport | None:
        """Read, fold and commit what is new in every shard, then say what it comes to.

        None where somebody else had written a shard: what was computed is void and says nothing.
        Whatever is raised (Redis' errors), shards that were at work are restored next time.
        """
        self.shards = self.shards or [None] * len(self.stores)
        void = [number for number in range(len(self.stores)) if not await self._advance(number)]
        if void:
            return None
        whole = [shard for shard in self.shards if shard is not None]
        gauges = [await shard.store.gauges() for shard in whole]
        newest = max(shard.state.position.ms for shard in whole)
        return RouteReport(
            self._snapshot(whole),
            memory=sum(gauge.memory for gauge in gauges),
            trimmed=sum(gauge.trimmed for gauge in gauges),
            last_record=newest / 1000 if newest else None,
        )

    async def _advance(self, number: int) -> bool:
        """Bring one shard up to what its stream held when the round began; False if overtaken."""
        shard = self.shards[number] or await restore(self.stores[number])
        self.shards[number] = None
        try:
            await self._drain(shard)
        except Overtaken:
            log.warning("overtaken", extra={"route": self.name, "shard": number})
            self.metrics.overtaken(self.name)
            return False
        self.shards[number] = shard
        return True

    async def _drain(self, shard: Shard) -> None:
        began: int | None = None
        while True:
            batch = await shard.store.read(shard.state.position)
            began = batch.now if began is None else began
            done = work(shard, batch)
            shard.clock = done.clock
            evicted = 0
            if not done.idle:
                shard.state, evicted = await shard.store.commit(done.step)
            self.metrics.count(self.name, self.members, done.counts, evicted)
            if not batch.entries or batch.entries[-1].id.ms >= began:
                return

    def _snapshot(self, shards: list[Shard]) -> Snapshot:
        """Computed again only where a shard has moved or a bucket has left its window."""
        clock = max(shard.clock for shard in shards)
        buckets = (clock // self.rules.bucket_ms, clock // self.rules.served_ms)
        states = [shard.state for shard in shards]
        said = self._said
        if said is None or said[0] != (buckets, states):
            said = ((buckets, states), snapshot(states, self.members, self.rules, clock))
            self._said = said
        return said[1]


def open_routes(client: Redis, settings: Settings, metrics: Metrics) -> tuple[RouteFold, ...]:
    """Every route of a configuration, nothing read yet."""
    judged_by, shards = rules(settings), settings.events.shards
    return tuple(
        RouteFold(
            name, members(route), judged_by, stores_of(client, name, shards, judged_by), metrics
        )
        for name, route in settings.routes
    )


def stores_of(client: Redis, name: str, shards: int, judged_by: Rules) -> tuple[ShardStore, ...]:
    """The keys of a route's shards, which share the room for its qrels."""
    room = max(1, MAX_KEYS // shards)
    return tuple(
        ShardStore(client, name, shard, judged_by, QrelsStore(name, shard, room))
        for shard in range(shards)
    )
