"""nDCG from the judgments."""

from __future__ import annotations

from math import log2

import pytest

from demo.judgments import mean, ndcg

DISCOUNT = {rank: 1 / log2(rank + 1) for rank in range(1, 12)}


@pytest.mark.parametrize(
    ("ranking", "relevant", "expected"),
    [
        ("a b c", "a", 1.0),
        ("b a c", "a", DISCOUNT[2]),
        ("b c d", "a", 0.0),
        ("a x b", "a b", (1 + DISCOUNT[3]) / (1 + DISCOUNT[2])),
        ("a b", "a b c", (1 + DISCOUNT[2]) / (1 + DISCOUNT[2] + DISCOUNT[3])),
        ("1 2 3 4 5 6 7 8 9 10 a", "a", 0.0),
        ("a", "", 0.0),
        ("", "a", 0.0),
    ],
)
def test_ndcg(ranking: str, relevant: str, expected: float):
    """
    The discounted gain of the first ten as a share of the best possible; 0 without any.
    """
    assert expected == pytest.approx(ndcg(ranking.split(), set(relevant.split())))


def test_more_relevant_documents_than_ranks_can_still_be_perfect():
    """
    The ideal is cut at ten as the ranking is.
    """
    ids = [str(number) for number in range(20)]

    assert 1.0 == pytest.approx(ndcg(ids, set(ids)))


def test_a_mean_of_nothing_is_nothing():
    """
    No number is made up where there is none.
    """
    assert mean([]) is None
    assert 0.5 == mean([0.0, 1.0])
