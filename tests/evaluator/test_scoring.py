"""Lists against the grades of their page."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evaluator.measures import ABSENT, NDCG, RR, UNJUDGED, Success, score
from evaluator.scoring import Ranked, Side, scores

MEASURES = (NDCG(10), RR(), Success(1))


def ranked(side: int, ranks: list[int], served: int = 3) -> Ranked:
    """A list by the served ranks of its documents."""
    return Ranked(side, bytes(ranks), served, True)


def test_a_list_is_scored_as_its_ranking_would_be() -> None:
    """
    A served page a b c of two shown, b clicked, c not shown: as if scored by its documents.
    """
    sides = [Side(0, 1, 2, ((2, 2),)), Side(1, 1, 2, ())]
    lists = [ranked(0, [1, 2, 3]), ranked(0, [0, 2]), ranked(0, []), ranked(1, [1])]
    grades = {"a": 0, "b": 2}
    expected = [
        [score(measure, docs, judged) for measure in MEASURES]
        for docs, judged in (("abc", grades), ("xb", grades), ("", grades), ("a", {"a": 0}))
    ]

    made = scores(sides, lists, MEASURES)

    assert expected == pytest.approx(np.asarray(made.measures))
    assert [2 / 3, 1 / 2, 1.0] == pytest.approx(list(made.judged[[0, 1, 3]]))
    assert math.isnan(made.judged[2])
    assert [1.0, 1 / 3, 0.0, 1 / 3] == pytest.approx(list(made.overlap))


def test_likeness_is_said_only_where_it_means_something() -> None:
    """
    Not of the served list with itself, nor of a failure.
    """
    made = scores([Side(0, 1, 1, ())], [Ranked(0, b"\x01", 1, False)], MEASURES)

    assert math.isnan(made.overlap[0])
    assert math.isnan(made.rbo[0])


def test_depth_is_the_longest_lists() -> None:
    """
    A click at rank 15 of a page of twenty is within RR's sight and beyond nDCG@10's.
    """
    made = scores([Side(0, 1, 20, ((15, 1),))], [ranked(0, list(range(1, 21)), 20)], MEASURES)

    assert [0.0, pytest.approx(1 / 15), 0.0] == list(made.measures[0])
    assert ABSENT < UNJUDGED < 0
