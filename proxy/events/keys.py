"""The names of what shadowrank keeps in Redis, hash-tagged: a shard is one slot of a cluster."""

from __future__ import annotations

from typing import Final

SHARDS: Final = "shadowrank:shards"
"""How many shards the log was begun with; another value is refused at start."""
FIELD: Final = b"r"
"""The one field of a stream entry: an encoded record."""
REREAD_SLACK_SECONDS: Final = 240
"""What a restarted evaluator reads again beyond the session time before its position: an event
waits 120 s for its impression, and one that came late is known for another 120 s.
"""


def log_key(route: str, shard: int) -> str:
    """The stream of records of one route and shard."""
    return f"shadowrank:{{{route}:{shard}}}:log"


def state_key(route: str, shard: int, judging: str) -> str:
    """The evaluator's sums; `judging` hashes what they depend on (judging, windows, measures)."""
    return f"shadowrank:{{{route}:{shard}}}:state:{judging}"


def position_key(route: str, shard: int) -> str:
    """The last record id the evaluator has committed: what trimming follows."""
    return f"shadowrank:{{{route}:{shard}}}:position"


def trimmed_key(route: str, shard: int) -> str:
    """How many records were trimmed before an evaluator had read them (a counter)."""
    return f"shadowrank:{{{route}:{shard}}}:trimmed"


def qrels_key(route: str, shard: int) -> str:
    """Proxy qrels: a hash of query key to what was shown and clicked."""
    return f"shadowrank:{{{route}:{shard}}}:qrels"


def seen_key(route: str, shard: int) -> str:
    """A sorted set of query keys by when they were last seen: decides which qrels expire."""
    return f"shadowrank:{{{route}:{shard}}}:seen"


def evaluator_key(route: str) -> str:
    """The lock of the route's one evaluator: the Redis id of its connection."""
    return f"shadowrank:{{{route}:0}}:evaluator"
