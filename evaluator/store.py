"""One shard in Redis: its stream read, its state loaded, and both moved on in one transaction."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from redis.asyncio import Redis
from redis.asyncio.client import Pipeline
from redis.exceptions import WatchError

from evaluator import qrels, state_codec
from evaluator.open_impressions import Change
from evaluator.records import BEGINNING, Entry, RecordId, record_id
from evaluator.rules import PENDING_MS, Rules
from evaluator.state import Delta, State, expired
from proxy.events import keys

BATCH: Final = 4000
"""Records read at once: some fifth of a second of work."""
SPARE_MS: Final = 3_600_000
"""How long a state outlives its last window."""


class Overtaken(Exception):
    """Somebody else has written the state: what was computed is void."""


class Batch(NamedTuple):
    """What a stream had after a position; `now` is Redis' clock just before it was read."""

    entries: list[Entry]
    now: int


class Gauges(NamedTuple):
    """What a stream says of itself: bytes of memory, records trimmed before they were read."""

    memory: int
    trimmed: int


class Changed(NamedTuple):
    """A round's work on a shard: the state before and after, and what led from one to the other."""

    before: State
    after: State
    delta: Delta
    changes: Sequence[Change]


@dataclass(slots=True)
class ShardStore:
    """The keys of one shard. `share` is the part of the route's qrels that it may keep."""

    client: Redis
    route: str
    shard: int
    rules: Rules
    share: float
    _at: bytes | None = None

    @property
    def _log(self) -> str:
        return keys.log_key(self.route, self.shard)

    @property
    def _state(self) -> str:
        return keys.state_key(self.route, self.shard, self.rules.judging)

    @property
    def _position(self) -> str:
        return keys.position_key(self.route, self.shard)
