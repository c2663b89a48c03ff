"""Whether everything is accounted for: what users sent against what the proxy counted. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from demo.scrape import Scrape


@dataclass(frozen=True, slots=True)
class Sent:
    """What the users know: searches made, those answered with an error, events sent, and who."""

    searches: int
    errors: int
    events: int
    users: int


@dataclass(frozen=True, slots=True)
class Totals:
    """The run's counts, by the proxy's metrics but for `errors` and `sent`.

    `failed` searches are by outcome, `dropped` and `refused` by reason; `undone` are shadows that
    were sampled and not run.
    """

    requests: int
    errors: int
    failed: Mapping[str, int]
    offered: int
    stored: int
    dropped: Mapping[str, int]
    sent: int
    accepted: int
    refused: Mapping[str, int]
    sampled: int
    ran: int
    undone: Mapping[str, int]

    def checks(self, sent: Sent) -> dict[str, bool]:
        """Every way in which these numbers must agree."""
        return {
            "requests": self.requests == sent.searches,
            "no_errors": self.errors == 0,
            "impressions_offered": self.offered == self.requests - self.errors,
            "impressions_kept": self.offered == self.stored + sum(self.dropped.values()),
            "events": self.sent == self.accepted + sum(self.refused.values()),
            "shadows": self.sampled == self.ran + sum(self.undone.values()),
        }


def totals(before: Scrape, after: Scrape, sent: Sent, route: str) -> Totals:
    """What the proxy counted between two scrapes of it."""
    records = _grown(before, after, "outcome", "shadowrank_log_records_total", kind="impression")
    events = _grown(before, after, "outcome", "shadowrank_events_total")
    shadows = _grown(before, after, "outcome", "shadowrank_shadow_total", route=route)
    requests = _grown(before, after, "outcome", "shadowrank_request_seconds_count", route=route)
    return Totals(
        requests=sum(requests.values()),
        errors=sent.errors,
        failed={outcome: n for outcome, n in requests.items() if outcome != "ok"},
        offered=records.get("offered", 0),
        stored=records.get("stored", 0),
        dropped=_reasons(records, "dropped"),
        sent=sent.events,
        accepted=events.get("accepted", 0),
        refused=_reasons(events, "refused") | _reasons(events, "dropped"),
        sampled=shadows.get("sampled", 0),
        ran=sum(shadows.get(outcome, 0) for outcome in ("ok", "timeout", "error")),
        undone=_reasons(shadows, "dropped"),
    )


def _grown(
    before: Scrape, after: Scrape, label: str, name: str, **labels: str
) -> Mapping[str, int]:
    """By how much a counter grew, by the values of a label; what didn't grow is left out."""
    then, now = before.by(label, name, **labels), after.by(label, name, **labels)
    return {value: n - then.get(value, 0) for value, n in now.items() if n > then.get(value, 0)}


def _reasons(outcomes: Mapping[str, int], prefix: str) -> dict[str, int]:
    """The outcomes of one sort by their reason: `dropped_full` is `full`."""
    return {
        outcome.removeprefix(prefix).removeprefix("_") or prefix: n
        for outcome, n in outcomes.items()
        if outcome.startswith(prefix)
    }
