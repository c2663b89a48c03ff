"""A live pipeline that serves nonsense must show in what was served, and soon."""

from __future__ import annotations

import random

from config.schema import Route
from evaluator.fold import fold
from evaluator.open_impressions import OpenImpressions
from evaluator.records import BEGINNING
from evaluator.snapshot import members, snapshot
from evaluator.state import State
from proxy.events.records import Event, Impression, Record
from tests.evaluator.made import MINUTE, RULES, T0, entries, impression

QUERIES, DOCS = 60, 30
EXAMINED = [1 / rank for rank in range(1, 11)]
"""Position-based users: the chance that they look at a rank."""
ATTRACTED = (0.05, 0.35, 0.8)
"""The chance that a document of grade 0, 1 or 2 is clicked once it is looked at."""
GAP_MS = 1500
WINDOW_MS = 60 * MINUTE


def grade(doc: int) -> int:
    """The truth: of thirty documents the first is best and four more are of use."""
    return 2 if doc == 0 else 1 if doc < 5 else 0


def page(draw: random.Random, at: int, number: int, *, broken: bool) -> list[tuple[int, Record]]:
    """An impression with its clicks; a sound page ranks by the truth, roughly."""
    query = draw.randrange(QUERIES)
    docs = list(range(DOCS))
    noisy = {doc: grade(doc) + draw.gauss(0, 0.5) for doc in docs}
    docs = draw.sample(docs, DOCS) if broken else sorted(docs, key=lambda doc: -noisy[doc])
    shown = impression(
        f"i{number}", " ".join(f"q{query}-{doc}" for doc in docs[:10]), query_key=b"q%d" % query,
        user=b"u%d" % draw.randrange(500),
    )  # fmt: skip
    return [(at, shown), *clicks(draw, shown, docs, at)]


def clicks(
    draw: random.Random, shown: Impression, docs: list[int], at: int
) -> list[tuple[int, Record]]:
    """What a user does with the page, a second later."""
    return [
        (at + 1000, Event(shown.id, f"{rank}", "click", T0 + at + 1000, shown.list[rank - 1]))
        for rank, doc in enumerate(docs[:10], 1)
        if draw.random() < EXAMINED[rank - 1] * ATTRACTED[grade(doc)]
    ]


def test_random_documents_halve_what_is_served_within_one_window() -> None:
    """
    Click nDCG@10 of what was served falls by more than half, from when live turns random.
    """
    draw = random.Random(3)
    records: list[tuple[int, Record]] = []
    for number in range(2 * WINDOW_MS // GAP_MS):
        at = number * GAP_MS
        records += page(draw, at, number, broken=at >= WINDOW_MS)
    stream = entries(*sorted(records, key=lambda pair: pair[0]))
    live = members(Route(live=(("rrf60", 1.0),)))
    shown, state, seen = OpenImpressions(RULES, BEGINNING), State(), []

    for end in (WINDOW_MS, 2 * WINDOW_MS):
        batch = [entry for entry in stream if end - WINDOW_MS <= entry.id.ms - T0 < end]
        changes, _ = shown.read(batch, batch[-1].id.ms)
        state = state.add(fold(changes, RULES), batch[-1].id, batch[-1].id.ms, RULES)
        seen.append(dict(snapshot([state], live, RULES, state.clock).served.measures)["nDCG@10"])
    before, after = seen

    assert after.mean < before.mean / 2
    assert before.low is not None
    assert after.high is not None
    assert after.high < before.low
