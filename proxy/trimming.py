"""Keeps the event log's streams short: what every reader is done with goes, and memory has a bound.

Trimming follows the evaluator's position less what a restarted evaluator reads again: the session
time and `REREAD_SLACK_SECONDS`. Where memory runs out first, unread records go too: counted in
Redis, for the evaluator to export.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from proxy.events.keys import REREAD_SLACK_SECONDS, log_key, position_key, trimmed_key

log = logging.getLogger(__name__)

PERIOD: Final = 10.0
"""Seconds between two rounds."""
HEADROOM: Final = 0.9
"""A log over its memory is cut to this share of it, so that the next record doesn't trim again."""

Stream = tuple[str, int]
"""A route and a shard."""


@dataclass(frozen=True, slots=True)
class Trimmer:
    """Trims the streams it is told of. `session` in seconds, `max_memory` in bytes over all."""

    redis: Redis
    session: float
    max_memory: int

    async def run(self, streams: Callable[[], Collection[Stream]]) -> None:
        """Trim for ever; a Redis that doesn't answer is asked again next time."""
        healthy = True
        while True:
            await asyncio.sleep(PERIOD)
            try:
                await self.once(streams())
            except (RedisError, OSError) as exc:
                if healthy:
                    log.warning("log not trimmed", extra={"reason": str(exc)})
                healthy = False
            else:
                healthy = True

    async def once(self, streams: Collection[Stream]) -> None:
        """Trim what is read, then what is too much."""
        keep = self.session + REREAD_SLACK_SECONDS
        for stream in streams:
            await self._trim_read(stream, keep, approximate=True)
        sizes = [await self._memory(stream) for stream in streams]
        if sum(sizes) <= self.max_memory:
            return
        for stream in streams:
            await self._trim_read(stream, 0.0, approximate=False)
        sizes = [await self._memory(stream) for stream in streams]
        if (total := sum(sizes)) > self.max_memory:
            for stream in streams:
                await self._trim_unread(stream, HEADROOM * self.max_memory / total)

    async def _trim_read(self, stream: Stream, keep: float, *, approximate: bool) -> None:
        """Drop records older than the evaluator's position less `keep` seconds."""
        position = await self.redis.get(position_key(*stream))
        if position is not None:
            text = position if isinstance(position, str) else position.decode()
            oldest = oldest_kept(text, keep)
            await self.redis.xtrim(log_key(*stream), minid=oldest, approximate=approximate)

    async def _trim_unread(self, stream: Stream, share: float) -> None:
        """Keep the newest `share` of a stream of unread records, and count the others."""
        length = await self.redis.xlen(log_key(*stream))
        gone = await self.redis.xtrim(
            log_key(*stream), maxlen=int(length * share), approximate=False
        )
        if gone:
            await self.redis.incrby(trimmed_key(*stream), gone)
            log.error("unread records trimmed", extra={"route": stream[0], "records": gone})

    async def _memory(self, stream: Stream) -> int:
        return await self.redis.memory_usage(log_key(*stream)) or 0


def oldest_kept(position: str, seconds: float) -> str:
    """The first stream id to keep: that of `seconds` before `position`, or the next unread one.

    >>> oldest_kept("1700000000000-5", 1.5), oldest_kept("1700000000000-5", 0)
    ('1699999998500-0', '1700000000000-6')
    """
    milliseconds, _, sequence = position.partition("-")
    if not seconds:
        return f"{milliseconds}-{int(sequence) + 1}"
    return f"{max(0, int(milliseconds) - round(1000 * seconds))}-0"
