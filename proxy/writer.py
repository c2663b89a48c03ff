"""The event log's writer: a bounded buffer and one task that empties it into Redis, batch by batch.

Offering never waits and never fails; a record is stored, or counted as dropped with its reason, or
still in the buffer. A batch whose reply is lost is sent again, so a record may be stored twice:
readers know it by its id.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from redis.asyncio import Redis
from redis.exceptions import RedisError, ResponseError

from proxy.events.keys import FIELD, log_key
from proxy.events.records import Event, Impression, Record, encode
from proxy.events.shards import ShardsChanged, claim
from proxy.metrics import Metrics

log = logging.getLogger(__name__)

Kind: TypeAlias = Literal["impression", "shadows", "event"]
MAX_RECORDS: Final = 50_000
MAX_BYTES: Final = 64 << 20
BATCH: Final = 500
LINGER: Final = 0.02
"""Seconds a record may wait for others: a batch costs Redis and us one round trip."""
BACKOFF: Final = (0.1, 0.2, 0.5, 1.0)
"""Seconds between attempts while Redis doesn't take records."""
TRANSIENT: Final = ("BUSY", "MISCONF", "NOREPLICAS", "UNKILLABLE")
"""Errors of a Redis that may take the same record later, for which redis-py has no class."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A record on its way: its stream, its encoding, and what it counts as."""

    key: str
    raw: bytes
    kind: Kind


class Writer:
    """Keeps records until Redis has them. `run` is its one task, `close` its end."""

    def __init__(
        self,
        redis: Redis,
        shards: int,
        metrics: Metrics,
        *,
        max_records: int = MAX_RECORDS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._redis = redis
        self._shards = shards
        self._metrics = metrics
        self._max_records = max_records
        self._max_bytes = max_bytes
        self._buffer: deque[Entry] = deque()
        self._bytes = 0
        self._filled = asyncio.Event()
        self._closing = asyncio.Event()
        self._claimed = False
        self._healthy = True

    @property
    def buffered(self) -> int:
        """How many records are neither stored nor dropped yet."""
        return len(self._buffer)

    @property
    def full(self) -> bool:
        """Would the next record be dropped?"""
        return len(self._buffer) >= self._max_records or self._bytes >= self._max_bytes

    def offer(self, route: str, shard: int, record: Record) -> bool:
        """Take the record, or count it as dropped where the buffer is full; never waits."""
        kind = _kind(record)
        self._metrics.log(kind, "offered").inc()
        if self._closing.is_set() or self.full:
            reason = "shutdown" if self._closing.is_set() else "full"
            self._metrics.log(kind, f"dropped_{reason}").inc()
            return False
        entry = Entry(log_key(route, shard), encode(record), kind)
        self._buffer.append(entry)
        self._bytes += len(entry.raw)
        self._filled.set()
        return True

    async def run(self) -> None:
        """Empty the buffer, for ever or until closed and empty."""
        failures = 0
        while self._buffer or not self._closing.is_set():
            if not self._buffer:
                await self._wait_for_records()
                continue
            if await self._store():
                failures = 0
            else:
                await self._pause(failures)
                failures += 1

    async def close(self, task: asyncio.Task[None], seconds: float) -> None:
        """Store what is left within `seconds`; count the rest as dropped and end `task`."""
        self._closing.set()
        self._filled.set()
        await asyncio.wait({task}, timeout=seconds)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        left = tuple(self._buffer)
        self._settle(left, ["dropped_shutdown"] * len(left))

    async def _wait_for_records(self) -> None:
        self._filled.clear()
        await self._filled.wait()
        if not self._closing.is_set():
            await asyncio.sleep(LINGER)

    async def _pause(self, failures: int) -> None:
        """Wait before the next attempt; briefly, once we are closing."""
        if not self._closing.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(BACKOFF[min(failures, len(BACKOFF) - 1)]):
                    await self._closing.wait()
        if self._closing.is_set():
            await asyncio.sleep(BACKOFF[0] / 2)

    async def _store(self) -> bool:
        """Send one batch. False where it must be tried again."""
        batch = [self._buffer[i] for i in range(min(BATCH, len(self._buffer)))]
        try:
            if not self._claimed:
                await claim(self._redis, self._shards)
                self._claimed = True
            replies = await self._send(batch)
        except ShardsChanged as exc:
            self._say_unwell(exc)
            self._settle(batch, ["dropped_redis"] * len(batch))  # a wrong stream is worse than none
            return False
        except (RedisError, OSError) as exc:
            self._claimed = False  # who answers next may be another, empty Redis
            self._say_unwell(exc)
            return False
        return self._account(batch, replies)

    async def _send(self, batch: Sequence[Entry]) -> list[object]:
        pipe = self._redis.pipeline(transaction=False)
        for entry in batch:
            pipe.execute_command("XADD", entry.key, "*", FIELD, entry.raw)
        return await pipe.execute(raise_on_error=False)

    def _account(self, batch: Sequence[Entry], replies: Sequence[object]) -> bool:
        """Book every reply; what Redis may take later stays, in order. True if nothing stays."""
        fates = [_fate(reply) for reply in replies]
        self._settle(batch, fates)
        refused = [reply for reply in replies if isinstance(reply, Exception)]
        if refused:
            self._say_unwell(refused[0])
        elif not self._healthy:
            self._healthy = True
            log.info("log written again", extra={"buffered": len(self._buffer)})
        return "kept" not in fates

    def _settle(self, batch: Sequence[Entry], fates: Sequence[str]) -> None:
        """Take the batch off the buffer's front, put back what is kept, and count the others."""
        for _ in batch:
            self._buffer.popleft()
        decided = list(zip(batch, fates, strict=True))
        kept = [entry for entry, fate in decided if fate == "kept"]
        self._buffer.extendleft(reversed(kept))
        self._bytes -= sum(len(entry.raw) for entry, fate in decided if fate != "kept")
        counts = Counter((entry.kind, fate) for entry, fate in decided if fate != "kept")
        for (kind, fate), n in counts.items():
            self._metrics.log(kind, fate).inc(n)

    def _say_unwell(self, exc: Exception) -> None:
        """Log the first failure of a row of them; the counters tell the rest."""
        if self._healthy:
            log.warning(
                "log not written", extra={"reason": str(exc), "buffered": len(self._buffer)}
            )
        self._healthy = False


def _fate(reply: object) -> str:
    """What a reply means for its record: an outcome, or `kept` to try again."""
    if not isinstance(reply, Exception):
        return "stored"
    of_record = type(reply) is ResponseError and str(reply).split(" ", 1)[0] not in TRANSIENT
    return "dropped_redis" if of_record else "kept"


def _kind(record: Record) -> Kind:
    match record:
        case Impression():
            return "impression"
        case Event():
            return "event"
    return "shadows"
