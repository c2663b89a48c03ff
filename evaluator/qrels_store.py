"""A shard's proxy qrels in Redis: a hash by query key, and a sorted set of which go first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from redis.asyncio.client import Pipeline

from evaluator.asking import ask
from evaluator.open_impressions import Change
from evaluator.qrels import KEEP_MS, Judged, by_query, judged
from proxy.events import keys


class Kept(NamedTuple):
    """What to store, what to forget, and how many of those go for want of room."""

    judged: Mapping[bytes, Judged]
    gone: Sequence[bytes]
    evicted: int


@dataclass(frozen=True, slots=True)
class QrelsStore:
    """The qrels of one shard, at most `room` query keys."""

    route: str
    shard: int
    room: int

    @property
    def _qrels(self) -> str:
        return keys.qrels_key(self.route, self.shard)

    @property
    def _seen(self) -> str:
        return keys.seen_key(self.route, self.shard)

    async def prepare(self, watching: Pipeline, changes: Sequence[Change], clock: int) -> Kept:
        """Read what the changes touch, through a pipeline that still answers at once."""
        grouped = by_query(changes)
        if not grouped:
            return Kept({}, (), 0)
        stored = await ask(watching, "HMGET", self._qrels, *grouped)
        updated = judged(dict(zip(grouped, stored, strict=True)), grouped)
        old: list[bytes] = await ask(watching, "ZRANGEBYSCORE", self._seen, "-inf", clock - KEEP_MS)
        gone = [key for key in old if key not in updated]
        known: int = await ask(watching, "ZCARD", self._seen)
        beyond = max(0, known + stored.count(None) - len(gone) - self.room)
        crowded: list[bytes] = []
        if beyond:
            last = len(old) + beyond + len(updated)
            oldest: list[bytes] = await ask(watching, "ZRANGE", self._seen, len(old), last)
            crowded = [key for key in oldest if key not in updated][:beyond]
        return Kept(updated, gone + crowded, len(crowded))

    def write(self, writing: Pipeline, kept: Kept) -> None:
        """Queue the commands for it."""
        if kept.gone:
            writing.hdel(self._qrels, *kept.gone)
            writing.zrem(self._seen, *kept.gone)
        if kept.judged:
            fields = [item for key, new in kept.judged.items() for item in (key, new.raw)]
            scores = [item for key, new in kept.judged.items() for item in (new.last, key)]
            writing.execute_command("HSET", self._qrels, *fields)
            writing.execute_command("ZADD", self._seen, *scores)
