"""What became of records, events and shadows; counted when the round that saw it is committed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

EVENT_OUTCOMES: Final = (
    "credited",
    "refused_not_shown",
    "refused_position",
    "refused_duplicate",
    "refused_late",
    "refused_excess",
    "unknown",
)
"""Every outcome of an event; a closed set, because it is a metric's label."""
RECORD_OUTCOMES: Final = ("read", "undecodable", "duplicate", "late", "unknown")
"""Of a stream entry. `late` and `unknown` are shadows records: after 60 s, without impression."""
SHADOW_OUTCOMES: Final = ("ok", "degraded", "timeout", "error", "dropped", "lost")
"""Of a sampled shadow. The first enters its pipeline's numbers as answered, timeout and error as an
empty list, the others are left out."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many of each; `events` by (type, outcome), `shadows` by (pipeline, outcome)."""

    events: Counter[tuple[str, str]] = field(default_factory=Counter)
    records: Counter[str] = field(default_factory=Counter)
    shadows: Counter[tuple[str, str]] = field(default_factory=Counter)
