"""Events as clients send them: one or a list, each accepted or refused for itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast, get_args

from proxy.errors import BadRequest
from proxy.model import MAX_DEPTH, EventType
from proxy.wire import checks

KEYS: Final = ("event_id", "query_id", "type", "doc_id", "position", "dwell_ms", "at")
MAX_EVENTS: Final = 100
MAX_EVENT_ID: Final = 100
MAX_DOC_ID: Final = 512
MAX_DWELL: Final = 24 * 3600 * 1000
"""ms; a page left open for longer wasn't read for longer."""
OF_DOCUMENTS: Final = ("click", "beat", "hide", "back")
"""Types that say something of one document."""
WITH_DWELL: Final = ("beat", "hide", "back")
"""Types that can tell how long a document was looked at."""


@dataclass(frozen=True, slots=True)
class Told:
    """An event in order, but for its query id, which is still the client's text. `at` in ms since
    the epoch, by the client's clock; `position` absolute, from 1.
    """

    event_id: str
    query_id: str
    type: EventType
    doc_id: str | None
    position: int | None
    dwell_ms: int | None
    at: int | None


def from_body(raw: bytes) -> list[object]:
    """The events of a body, still unread. Raises `BadRequest` where there are none to be had."""
    body = checks.decoded(raw)
    events = body if isinstance(body, list) else [body]
    if not 0 < len(events) <= MAX_EVENTS:
        raise BadRequest(f"must be 1 to {MAX_EVENTS} events, not {len(events)}")
    return events


def told(event: object) -> Told:
    """One event. Raises `BadRequest` naming the first thing that is wrong."""
    body = checks.mapping(event)
    checks.known(body.keys(), KEYS)
    given = {key: value for key, value in body.items() if value is not None}
    kind = cast(EventType, checks.choice(given.get("type"), "type", get_args(EventType)))
    _belongs(given, kind)
    return Told(
        checks.name(given.get("event_id"), "event_id", MAX_EVENT_ID),
        checks.name(given.get("query_id"), "query_id", MAX_DOC_ID),
        kind,
        _optional_name(given, "doc_id", MAX_DOC_ID),
        _optional_whole(given, "position", 1, MAX_DEPTH),
        _optional_whole(given, "dwell_ms", 0, MAX_DWELL),
        _optional_whole(given, "at", 0, 2**48),
    )


def type_of(event: object) -> str:
    """The event's type where it has one that exists, else `invalid`: a metric's label."""
    kind = event.get("type") if isinstance(event, dict) else None
    return kind if isinstance(kind, str) and kind in get_args(EventType) else "invalid"


def _belongs(given: Mapping[str, object], kind: EventType) -> None:
    """A click without its document says nothing; a dwell belongs to who can measure one."""
    if kind in OF_DOCUMENTS and "doc_id" not in given:
        raise BadRequest(f"is missing: a {kind} is of a document", field="doc_id")
    if "position" in given and "doc_id" not in given:
        raise BadRequest("is a document's, and doc_id is missing", field="position")
    if "dwell_ms" in given and kind not in WITH_DWELL:
        raise BadRequest(f"is none of a {kind}'s keys", field="dwell_ms", choices=WITH_DWELL)


def _optional_name(given: Mapping[str, object], key: str, longest: int) -> str | None:
    return checks.name(given[key], key, longest) if key in given else None


def _optional_whole(given: Mapping[str, object], key: str, low: int, high: int) -> int | None:
    return checks.whole(given[key], key, low, high) if key in given else None
