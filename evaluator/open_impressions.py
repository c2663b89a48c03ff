"""The impressions of one shard that can still change, and what new records change about them.

An impression is folded once the stream's clock is `settle` past it; events within `session` and
one shadows record within 60 s belong to it. All of these compare record ids, so what is folded in
the end is a function of the stream, whatever the batches it was read in. This is the one part of
the evaluator that changes in place: there may be a million of them, kept as the bytes they came in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final, NamedTuple

from msgspec import MsgspecError

from evaluator.counts import Counts
from evaluator.grading import Act, Grades, act, grades
from evaluator.joining import refusal, shown_rank
from evaluator.pending import Pending, Waiting
from evaluator.records import Entry, RecordId, impression_of, results_of
from evaluator.rules import PENDING_MS, SHADOWS_MS, Rules
from proxy.events.records import Event, Impression, ShadowResult, Shadows, decode


class Change(NamedTuple):
    """What to add for an impression shown at `ms`, and what to take away for it.

    `before` are the grades it is in the sums with, None while it isn't; `scored` says that its
    shadows are in the sums, too. `results` are theirs, () while they haven't come.
    """

    ms: int
    impression: Impression
    results: tuple[ShadowResult, ...]
    before: Grades | None
    after: Grades
    scored: bool


MAX_EVENTS: Final = 1000
"""What one impression listens to, first come in the stream; nobody does more with one page."""


class _Open:
    """An impression and what has joined it; `folded` and `scored` say what the sums hold of it.

    `seen` are the ids of the `heard` events and hashes of their records, which a writer may send
    again. Most impressions have none, hence no containers.
    """

    __slots__ = ("acts", "folded", "heard", "id", "ms", "ours", "raw", "scored", "seen", "shadows")

    def __init__(self, entry: Entry, id: bytes, ours: bool) -> None:
        self.id = id
        self.ms = entry.id.ms
        self.raw = entry.raw
        self.ours = ours
        self.shadows: bytes | None = None
        self.acts: list[Act] | None = None
        self.seen: set[str | int] | None = None
        self.heard = 0
        self.folded: Grades | None = None
        self.scored = False

    def change(self, satisfied_ms: int) -> Change | None:
        """What differs from what the sums hold; they hold it from now on."""
        after = grades(self.acts or (), satisfied_ms)
        complete = self.shadows is not None
        if not self.ours or (self.folded == after and self.scored == complete):
            return None
        results = results_of(self.shadows) if self.shadows is not None else ()
        impression = impression_of(self.raw)
        changed = Change(self.ms, impression, results, self.folded, after, self.scored)
        self.folded, self.scored = after, complete
        return changed

    def hear(self, event: Event, record: int) -> None:
        """Remember that it came, and the hash of its record."""
        if self.seen is None:
            self.seen = set()
        self.seen.update((event.event_id, record))
        self.heard += 1

    def do(self, done: Act) -> None:
        """Let it count."""
        if self.acts is None:
            self.acts = []
        self.acts.append(done)


class OpenImpressions:
    """What can still change in one shard, under `rules`.

    Impressions up to `since` are known, so that their events can be judged, but change nothing:
    they were folded into other sums.
    """

    def __init__(self, rules: Rules, since: RecordId) -> None:
        self._rules = rules
        self._since = since
        self._lifetime = rules.session_ms + PENDING_MS
        self._open: dict[bytes, _Open] = {}
        self._pending = Pending()
        self._in_order: deque[_Open] = deque()
        self._unsettled: deque[_Open] = deque()
        self._expecting: deque[_Open] = deque()
        self._touched: dict[bytes, _Open] = {}
        self._pages: dict[bytes, Impression] = {}

    def __len__(self) -> int:
        return len(self._open)

    def read(self, entries: Iterable[Entry], clock: int) -> tuple[list[Change], Counts]:
        """Take the entries in, in stream order; then what has changed at `clock`."""
        counts = Counts()
        changes: list[Change | None] = []
        for entry in entries:
            while self._in_order and self._in_order[0].ms + self._lifetime < entry.id.ms:
                changes.append(self._close())
            self._pending.forget(entry.id.ms)
            try:
                self._take(entry, decode(entry.raw), counts)
            except MsgspecError:
                counts.records["undecodable"] += 1
        self._pages.clear()
        self._give_up(clock, counts)
        changes += self._settle(clock)
        return [change for change in changes if change is not None], counts

    def _take(self, entry: Entry, record: Impression | Shadows | Event, counts: Counts) -> None:
        shown = self._open.get(record.id)
        if isinstance(record, Impression):
            if shown is None:
                self._show(entry, record, counts)
            counts.records["read" if shown is None else "duplicate"] += 1
        elif shown is None:
            if not self._pending.add(Waiting(entry.id.ms, record, entry.raw)):
                counts.records["duplicate"] += 1
        else:
            self._join(shown, Waiting(entry.id.ms, record, entry.raw), counts)

    def _show(self, entry: Entry, impression: Impression, counts: Counts) -> None:
        shown = _Open(entry, impression.id, entry.id > self._since)
        self._open[impression.id] = shown
        self._in_order.append(shown)
        self._unsettled.append(shown)
        if impression.sampled:
            self._expecting.append(shown)
        for waiting in self._pending.take(impression.id, shown.ms):
            self._join(shown, waiting, counts)

    def _join(self, shown: _Open, waiting: Waiting, counts: Counts) -> None:
        if isinstance(waiting.record, Event):
            self._credit(shown, waiting.record, waiting, counts)
        else:
            self._report(shown, waiting.record, waiting, counts)

    def _credit(self, shown: _Open, event: Event, waiting: Waiting, counts: Counts) -> None:
        seen, record = shown.seen or (), hash(waiting.raw)
        if record in seen:
            counts.records["duplicate"] += 1
            return
        counts.records["read"] += 1
        if shown.heard >= MAX_EVENTS:
            counts.events[event.type, "refused_excess"] += 1
            return
        impression = self._page(shown)
        why = refusal(event, waiting.ms, impression, shown.ms, seen, self._rules)
        counts.events[event.type, why or "credited"] += 1
        shown.hear(event, record)
        if why is None and event.doc_id is not None:
            rank = shown_rank(impression, event.doc_id)
            done = None if rank is None else act(event, rank)
            if done is not None:
                shown.do(done)
                self._touch(shown)

    def _page(self, shown: _Open) -> Impression:
        """What was shown, decoded once a batch."""
        page = self._pages.get(shown.id)
        if page is None:
            page = self._pages[shown.id] = impression_of(shown.raw)
        return page

    def _report(self, shown: _Open, shadows: Shadows, waiting: Waiting, counts: Counts) -> None:
        if shown.shadows is not None:
            counts.records["duplicate"] += 1
        elif waiting.ms - shown.ms > SHADOWS_MS:
            counts.records["late"] += 1
        else:
            shown.shadows = waiting.raw
            counts.records["read"] += 1
            for result in shadows.results:
                partly = result.status == "ok" and result.degraded
                counts.shadows[result.pipeline, "degraded" if partly else result.status] += 1
            reported = {result.pipeline for result in shadows.results}
            for name in impression_of(shown.raw).sampled:
                counts.shadows[name, "lost"] += name not in reported
            self._touch(shown)

    def _touch(self, shown: _Open) -> None:
        if shown.folded is not None:
            self._touched[shown.id] = shown

    def _settle(self, clock: int) -> list[Change | None]:
        """What has become old enough, then what was corrected."""
        changes = []
        while self._unsettled and self._unsettled[0].ms + self._rules.settle_ms <= clock:
            changes.append(self._unsettled.popleft().change(self._rules.satisfied_ms))
        touched, self._touched = self._touched, {}
        changes += [shown.change(self._rules.satisfied_ms) for shown in touched.values()]
        return changes

    def _close(self) -> Change | None:
        """Forget the oldest impression, after what it still changes."""
        shown = self._in_order.popleft()
        del self._open[shown.id]
        return shown.change(self._rules.satisfied_ms)

    def _give_up(self, clock: int, counts: Counts) -> None:
        """Stop waiting for what is overdue at `clock`."""
        for waiting in self._pending.overdue(clock):
            if isinstance(waiting.record, Event):
                counts.records["read"] += 1
                counts.events[waiting.record.type, "unknown"] += 1
            else:
                counts.records["unknown"] += 1
        while self._expecting and self._expecting[0].ms + SHADOWS_MS < clock:
            shown = self._expecting.popleft()
            if shown.shadows is None:
                for name in impression_of(shown.raw).sampled:
                    counts.shadows[name, "lost"] += 1
