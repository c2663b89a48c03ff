"""The total order."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from proxy.fusion.ranking import best
from proxy.model import RankedList

NAMES = "j i h g f e d c b a".split()
rows = st.lists(
    st.lists(st.sampled_from([0.0, 0.5, -1.0, 2.0]), min_size=10, max_size=10),
    min_size=1,
    max_size=4,
)


@given(rows, st.integers(0, 12))
def test_the_first_of_a_full_sort(scores: list[list[float]], size: int):
    """
    The same as sorting everything by score, then id, and cutting; ties at the cut, too.
    """
    expected = []
    for row in scores:
        pairs = sorted((-s, doc) for s, doc in zip(row, NAMES, strict=True))[:size]
        expected.append(RankedList(tuple(d for _, d in pairs), tuple(-s for s, _ in pairs)))

    assert expected == best(NAMES, np.array(scores), size)


def test_nothing_is_ranked_of_nothing():
    """
    No documents, no lists; each row still has its own.
    """
    assert [RankedList(), RankedList()] == best((), np.zeros((2, 0)), 10)


def test_ids_and_scores_are_plain():
    """
    Python's own, as everything that reads them expects.
    """
    (ranked,) = best(("b", "a"), np.array([[1.0, 2.0]]), 1)

    assert (("a",), (2.0,)) == (ranked.ids, ranked.scores)
    assert float is type(ranked.scores[0])
