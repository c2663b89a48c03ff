from __future__ import annotations

import asyncio
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from redis.asyncio import Redis

from config.schema import MaxAge
from proxy.intake import Intake, Received, untimely
from proxy.metrics import REFUSALS, Metrics
from proxy.tokens import Issuer, Token
from proxy.wire.events import Told, told
from proxy.writer import Writer

MINUTE = 60_000
HOUR = 60 * MINUTE
NOW = 1_700_000_000_000
AGES = MaxAge(click=1800.0, conversion=72 * 3600.0)
KEY = b"a key of query ids, long enough"
ISSUER = Issuer([KEY])


def query_id(issuer: Issuer = ISSUER, **change: Any) -> str:
    said = {"nonce": b"n" * 16, "route": "faq", "shard": 1, "issued": NOW - MINUTE, **change}
    return issuer.write(Token(**said))


def click(**change: Any) -> dict[str, Any]:
    event = {"event_id": "e", "query_id": query_id(), "type": "click", "doc_id": "d", **change}
    return {key: value for key, value in event.items() if value is not None}


class Desk:
    """An intake whose log is never emptied."""

    def __init__(self, room: int = 100) -> None:
        self.metrics = Metrics(CollectorRegistry())
        self.writer = Writer(Redis(), 2, self.metrics, max_records=room)
        self.intake = Intake(ISSUER, self.writer, self.metrics, shards=2)

    def receive(self, *events: object) -> Received:
        return self.intake.receive(events, AGES, {"faq"}, NOW)

    def count(self, outcome: str, kind: str = "click", route: str = "faq") -> float:
        labels = {"route": route, "type": kind, "outcome": outcome}
        return self.metrics.registry.get_sample_value("shadowrank_events_total", labels) or 0.0


@pytest.fixture
async def desk() -> Desk:
    return Desk()


async def test_good_events_are_offered(desk: Desk):
    """
    Each goes to the log, one by one.
    """
    assert Received(2, 0, ()) == desk.receive(click(), click(type="beat", dwell_ms=5))
    assert 2 == desk.writer.buffered
    assert (1, 1) == (desk.count("accepted"), desk.count("accepted", "beat"))


@pytest.mark.parametrize(
    ("event", "reason", "route"),
    [
        ("click", "invalid", ""),
        (click(doc_id=None), "invalid", ""),
        (click(query_id="forged"), "shape", ""),
        (click(query_id=query_id(Issuer([b"somebody else's key"]))), "key", ""),
        (click(query_id=query_id()[:-2] + "AA"), "mac", ""),
        (click(query_id=query_id(route="gone")), "route", ""),
        (click(query_id=query_id(shard=2)), "route", ""),
        (click(query_id=query_id(issued=NOW - HOUR)), "expired", "faq"),
        (click(query_id=query_id(issued=NOW + HOUR)), "clock", "faq"),
        (click(at=NOW + 24 * HOUR), "clock", "faq"),
        (click(at=NOW - 24 * HOUR), "clock", "faq"),
        (click(at=NOW // 1000), "clock", "faq"),
    ],
)
async def test_what_is_refused_is_told_and_counted(desk: Desk, event, reason: str, route: str):
    """
    Unknown, forged, expired or out of time: each has its reason, and nothing is logged.
    """
    got = desk.receive(event)

    assert (0, 0) == (got.accepted, got.dropped)
    assert [(0, reason)] == [(refused.index, refused.reason) for refused in got.refused]
    assert reason in REFUSALS
    kind = "invalid" if event == "click" else "click"
    assert 1 == desk.count(f"refused_{reason}", kind, route)
    assert 0 == desk.writer.buffered


async def test_an_invalid_event_says_what_is_wrong(desk: Desk):
    """
    The field and a sentence help whoever writes the client.
    """
    (refused,) = desk.receive(click(position=0)).refused

    assert ("position", "must be from 1 to 100") == (refused.field, refused.message)


async def test_a_full_buffer_is_neither_accepted_nor_refused():
    """
    In order but not kept: counted as dropped, so that the client can be asked to send it again.
    """
    desk = Desk(room=1)

    got = desk.receive(click(), click(event_id="f"), click(query_id="?"))

    assert (1, 1, 1) == (got.accepted, got.dropped, len(got.refused))
    assert 1 == desk.count("dropped")


@pytest.mark.parametrize(
    ("kind", "age", "reason"),
    [
        ("click", 30 * MINUTE, None),
        ("click", 30 * MINUTE + 1, "expired"),
        ("seen", 32 * MINUTE, None),
        ("beat", 32 * MINUTE, None),
        ("hide", 32 * MINUTE + 1, "expired"),
        ("back", 32 * MINUTE + 1, "expired"),
        ("conversion", 72 * HOUR, None),
        ("conversion", 72 * HOUR + 1, "expired"),
        ("click", -5 * MINUTE, None),
        ("click", -5 * MINUTE - 1, "clock"),
    ],
)
def test_how_old_a_query_id_may_be(kind: str, age: int, reason: str | None):
    """
    A click half an hour by default, what follows a click two minutes more, a conversion three days.
    """
    event = Told("e", "q", kind, "d", None, None, None)  # type: ignore[arg-type]  # parametrized text

    assert reason == untimely(event, Token(b"n" * 16, "faq", 0, NOW - age), AGES, NOW)


@pytest.mark.parametrize(
    ("off", "reason"),
    [(0, None), (5 * MINUTE, None), (-5 * MINUTE, None), (5 * MINUTE + 1, "clock")],
)
def test_how_wrong_a_clock_may_be(off: int, reason: str | None):
    """
    Five minutes either way.
    """
    event = told(click(at=NOW + off))

    assert reason == untimely(event, Token(b"n" * 16, "faq", 0, NOW), AGES, NOW)


async def test_a_full_buffer_is_unavailable(start, fruit, monkeypatch):
    """
    Over HTTP it is a 503 that says when to come back, and searches go on.
    """
    proxy = await start(fruit)
    query_id = (await proxy.search())["query_id"]
    monkeypatch.setattr(proxy.service.writer, "_max_records", 0)

    asking = proxy.session.post(proxy.url + "/v1/events", json=click(query_id=query_id))
    async with asking as got:
        said = await got.json()

    assert (503, "1", "unavailable") == (
        got.status, got.headers["retry-after"], said["error"]["code"],
    )  # fmt: skip
    assert (await proxy.search())["hits"]
    await asyncio.sleep(0.05)
    labels = {"kind": "impression", "outcome": "dropped_full"}
    assert 1 == proxy.count("shadowrank_log_records_total", **labels)
