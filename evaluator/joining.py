"""Which events count: an event against the impression that it names."""

from __future__ import annotations

from collections.abc import Container

from evaluator.rules import Rules
from proxy.events.records import Event, Impression


def refusal(
    event: Event,
    ms: int,
    impression: Impression,
    shown_ms: int,
    seen: Container[object],
    rules: Rules,
) -> str | None:
    """Why the event doesn't count, one of `counts.EVENT_OUTCOMES`; None if it does.

    `ms` and `shown_ms` are the times of the two record ids; `seen` holds the event ids that have
    reached the impression before.
    """
    if event.event_id in seen:
        return "refused_duplicate"
    if ms - shown_ms > rules.session_ms:
        return "refused_late"
    if event.doc_id is None:
        return None if event.type == "seen" else "refused_not_shown"
    rank = shown_rank(impression, event.doc_id)
    if rank is None:
        return "refused_not_shown"
    return None if event.position in (None, rank) else "refused_position"


def shown_rank(impression: Impression, doc_id: str) -> int | None:
    """The rank of a document that the page showed, from + 1 to from + size; else None."""
    end = impression.offset + impression.size
    try:
        return impression.list.index(doc_id, impression.offset, end) + 1
    except ValueError:
        return None
