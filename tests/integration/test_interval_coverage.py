"""Does a nominal 95 % interval hold its promise where users and queries come again and again?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evaluator.stats import Estimate, estimate
from evaluator.weights import poisson, weights

RUNS = 200
IMPRESSIONS = 4000
USERS, QUERIES = 1000, 500
MEAN = 0.4
EFFECT = 0.15
"""Standard deviation of what a user and of what a query adds to the expected score."""

Floats = NDArray[np.float64]


def zipf(size: int) -> Floats:
    """Chances that fall as 1 / rank."""
    chances = 1 / np.arange(1.0, size + 1)
    return chances / chances.sum()


def replicated(scores: Floats, drawn: NDArray[np.uint8]) -> Estimate:
    """The estimate of a mean from weights, as the evaluator makes it from its sums."""
    ones = np.ones((len(scores), 1), dtype=np.uint8)
    table = np.hstack([ones, drawn]).astype(np.float64)
    made = estimate(table.sum(axis=0), scores @ table, queries=QUERIES)
    assert made is not None
    return made


def covers(made: Estimate) -> bool:
    """Is the true mean inside?"""
    assert made.low is not None
    assert made.high is not None
    return made.low <= MEAN <= made.high


def test_the_interval_covers_and_one_that_ignores_repetition_does_not() -> None:
    """
    Product weights cover at least .85; resampling impressions at most .5, so the test bites.
    """
    ours = control = 0
    for run in range(RUNS):
        draw = np.random.default_rng(run)
        users = draw.choice(USERS, IMPRESSIONS, p=zipf(USERS))
        queries = draw.choice(QUERIES, IMPRESSIONS, p=zipf(QUERIES))
        expected = (
            MEAN + draw.normal(0, EFFECT, USERS)[users] + draw.normal(0, EFFECT, QUERIES)[queries]
        )
        scores = expected + draw.normal(0, 0.3, IMPRESSIONS)
        keys = [b"%d-%d" % (run, user) for user in users], [b"%d-%d" % (run, q) for q in queries]
        ours += covers(replicated(scores, weights(*keys)))
        alone = draw.integers(0, 1 << 63, IMPRESSIONS, dtype=np.uint64)
        control += covers(replicated(scores, poisson(alone)))

    assert ours / RUNS >= 0.85
    assert control / RUNS <= 0.5
