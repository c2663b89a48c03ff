"""Bootstrap weights out of hashes."""

from __future__ import annotations

from math import exp, factorial

import numpy as np

from evaluator.weights import REPLICATES, poisson, seeds, weights

MANY = poisson(np.arange(20_000, dtype=np.uint64))


def test_draws_are_poisson_of_mean_one() -> None:
    """
    Each count comes as often as it should.
    """
    for count in range(5):
        expected = exp(-1) / factorial(count)

        assert abs(float((MANY == count).mean()) - expected) < 0.002


def test_replicates_are_independent() -> None:
    """
    No pair of the first fifty correlates over 20,000 seeds.
    """
    correlations = np.corrcoef(MANY[:, :50].T) - np.eye(50)

    assert np.abs(correlations).max() < 0.04


def test_a_weight_is_a_function_of_user_and_query() -> None:
    """
    Whatever else is in the batch: rounds, restarts and shards agree.
    """
    alone = weights([b"u"], [b"q"])
    among = weights([b"x", b"u", b"y"], [b"q", b"q", b"z"])

    assert (1, REPLICATES) == alone.shape
    assert alone[0].tolist() == among[1].tolist()


def test_a_weight_is_the_product_of_both() -> None:
    """
    The user's draw times the query's.
    """
    user, query = poisson(seeds(b"user", [b"u"])), poisson(seeds(b"query", [b"q"]))

    assert (user * query).tolist() == weights([b"u"], [b"q"]).tolist()


def test_a_user_and_a_query_of_the_same_key_are_drawn_apart() -> None:
    """
    Else their product would be a square.
    """

    assert seeds(b"user", [b"k"]).tolist() != seeds(b"query", [b"k"]).tolist()
