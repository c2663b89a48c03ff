"""Simulated users: who searches for what and when, and what they do with a page. Pure and seeded.

The model is the position-based one: a user looks at rank k with probability `1 / k ** DECAY`,
whatever stands there, and clicks what was looked at with a probability that depends on the
collection's judgments alone. What a visit does depends on the seed, its number and the page, and
not on when it happens, so that two runs differ only where the pages differ.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import Final

POPULATION: Final = 10_000
"""How many users there are; a run sees those who happen to come."""
ZIPF: Final = 0.7
"""User number u comes with a weight of `1 / u ** ZIPF`: many once, some often."""
DECAY: Final = 0.7
"""How fast the eye tires: rank 2 is looked at by 62 %, rank 10 by 20 %."""
CLICKED: Final = {True: 0.9, False: 0.03}
"""The probability of a click on what was looked at, by whether it is relevant."""
SATISFIED: Final = {True: 0.85, False: 0.1}
"""The probability that a click is followed by a long dwell."""
LONG: Final = (1.05, 1.7)
"""Seconds of a long dwell; `judging.satisfied` in the demo is 1 s."""
SHORT: Final = (0.1, 0.6)
"""Seconds of a short one."""
CLOSED: Final = 0.15
"""The probability that a long dwell is known from its last beat only: the tab was just closed."""
SEARCHES_PER_SESSION: Final = 3


@dataclass(frozen=True, slots=True)
class Visit:
    """One search of one user: `claim` is an index, `after` the seconds since the last visit."""

    number: int
    user: str
    session: str
    claim: int
    after: float


@dataclass(frozen=True, slots=True)
class Click:
    """A document opened, `pause` seconds after the last thing done, and left after `dwell` seconds.

    `leaves` is the event that tells of the dwell: `hide`, or `beat` for a tab that was just closed.
    """

    position: int
    doc_id: str
    pause: float
    dwell: float
    leaves: str


def visits(seed: int, claims: int, rate: float) -> Iterator[Visit]:
    """Endless searches, `rate` a second on average with independent gaps, over `claims` evenly."""
    random = Random(seed)
    weights = list(accumulate(1 / user**ZIPF for user in range(1, POPULATION + 1)))
    searches = dict[int, int]()
    number = 0
    while True:
        user = bisect(weights, random.random() * weights[-1])
        nth = searches[user] = searches.get(user, -1) + 1
        session = f"u{user}-{nth // SEARCHES_PER_SESSION}"
        yield Visit(number, f"u{user}", session, random.randrange(claims), random.expovariate(rate))
        number += 1


def clicks(seed: int, number: int, page: Sequence[str], relevant: Set[str]) -> tuple[Click, ...]:
    """What the user of visit `number` does with a page, top to bottom."""
    random = Random(f"{seed}:{number}")
    return tuple(
        _opened(random, position, doc_id, doc_id in relevant)
        for position, doc_id in enumerate(page, start=1)
        if random.random() < 1 / position**DECAY and random.random() < CLICKED[doc_id in relevant]
    )


def _opened(random: Random, position: int, doc_id: str, relevant: bool) -> Click:
    pause = random.uniform(0.05, 0.3)
    stays = random.random() < SATISFIED[relevant]
    dwell = random.uniform(*(LONG if stays else SHORT))
    closed = stays and random.random() < CLOSED
    return Click(position, doc_id, pause, dwell, "beat" if closed else "hide")
