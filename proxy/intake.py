"""Events arriving: each is checked against its query id and the clock, then logged or refused.

What only the impression can tell (was the document shown, at that position, is the event new) is
the evaluator's to check.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from config.schema import MaxAge
from proxy.errors import BadRequest
from proxy.metrics import Metrics
from proxy.recording import event
from proxy.tokens import Issuer, Token
from proxy.wire.events import Told, told, type_of
from proxy.writer import Writer

CLOCK: Final = 5 * 60 * 1000
"""ms by which a client's clock, or that of another process of ours, may differ from this one's."""
GRACE: Final = 2 * 60 * 1000
"""ms that beats and the like may be later than the last click: they follow it."""


@dataclass(frozen=True, slots=True)
class Refused:
    """An event that was refused: its place in the request, a reason of `metrics.REFUSALS`, and for
    `invalid` the field and what is wrong with it.
    """

    index: int
    reason: str
    field: str | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Received:
    """What became of a request's events: `dropped` were in order, but the log's buffer was full."""

    accepted: int
    dropped: int
    refused: tuple[Refused, ...]


@dataclass(frozen=True, slots=True)
class Intake:
    """Takes events on behalf of the routes there are."""

    issuer: Issuer
    writer: Writer
    metrics: Metrics
    shards: int

    def receive(
        self, events: Sequence[object], ages: MaxAge, routes: Collection[str], now: int
    ) -> Received:
        """Check and offer every event; `now` in ms since the epoch."""
        accepted = dropped = 0
        refused: list[Refused] = []
        for index, item in enumerate(events):
            outcome = self._one(item, index, ages, routes, now)
            if isinstance(outcome, Refused):
                refused.append(outcome)
            else:
                accepted += outcome
                dropped += not outcome
        return Received(accepted, dropped, tuple(refused))

    def _one(
        self, item: object, index: int, ages: MaxAge, routes: Collection[str], now: int
    ) -> Refused | bool:
        """Was it taken? Counted whatever became of it."""
        try:
            read = told(item)
        except BadRequest as exc:
            self._count("", type_of(item), "refused_invalid")
            return Refused(index, "invalid", exc.field, exc.message)
        token = self.issuer.read(read.query_id)
        if not isinstance(token, Token):
            self._count("", read.type, f"refused_{token}")
            return Refused(index, token)
        if token.route not in routes or token.shard >= self.shards:
            self._count("", read.type, "refused_route")
            return Refused(index, "route")
        if reason := untimely(read, token, ages, now):
            self._count(token.route, read.type, f"refused_{reason}")
            return Refused(index, reason)
        taken = self.writer.offer(token.route, token.shard, event(read, token, now))
        self._count(token.route, read.type, "accepted" if taken else "dropped")
        return taken

    def _count(self, route: str, kind: str, outcome: str) -> None:
        self.metrics.event(route, kind, outcome).inc()


def untimely(told: Told, token: Token, ages: MaxAge, now: int) -> str | None:
    """`expired` when the query id is too old for such an event, `clock` when a clock is wrong."""
    if token.issued > now + CLOCK or (told.at is not None and abs(told.at - now) > CLOCK):
        return "clock"
    return "expired" if now - token.issued > _allowed(told.type, ages) else None


def _allowed(kind: str, ages: MaxAge) -> float:
    """How old a query id may be, in ms."""
    match kind:
        case "conversion":
            return 1000 * ages.conversion
        case "click":
            return 1000 * ages.click
    return 1000 * ages.click + GRACE
