"""Measures: published examples, laws, and trec_eval as the oracle."""

from __future__ import annotations

import random

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from evaluator.measures import AP, NDCG, RR, Judged, Measure, Precision, Recall, Success, score

SRW = [f"d{rank}" for rank in range(1, 21)]
SRW_GRADES = {doc: rank % 3 for rank, doc in enumerate(SRW, 1)}
FIRST_RELEVANT = (1, 2, 1, None, 2, 1, 1, 1, 1, 3, 1, 1, 1, 1, 1)
"""The worked example of a course: the first relevant rank of each of fifteen queries."""

ALL: tuple[Measure, ...] = (
    NDCG(5), NDCG(), NDCG(5, gain="linear"), RR(), RR(3, rel=2), Success(5), Precision(5),
    Recall(5), AP(5), AP(), Judged(5),
)  # fmt: skip


@pytest.mark.parametrize(
    ("measure", "shown", "expected"),
    [
        (NDCG(20), 20, 0.7603),
        (NDCG(5), 20, 0.5069),
        (NDCG(8), 5, 0.3993),
        (NDCG(5), 8, 0.5069),
        (Precision(20), 20, 0.70),
        (Precision(5), 20, 0.80),
        (AP(20), 20, 0.76),
        (AP(5), 20, 0.25),
    ],
)
def test_the_search_relevance_workbench_gets_the_same(
    measure: Measure, shown: int, expected: float
) -> None:
    """
    Twenty documents of grades 1 2 0 1 2 0 …; in the workbench the ideal is all judged, cut at k.
    """

    assert expected == pytest.approx(score(measure, SRW[:shown], SRW_GRADES), abs=0.005)


def test_elasticsearch_rank_eval_gets_the_same() -> None:
    """
    Its documented example, ratings 3 2 3 0 1 2: DCG 13.848264 of 14.595391.
    """
    grades = dict(zip("abcdef", (3, 2, 3, 0, 1, 2), strict=True))

    assert 13.848264 / 14.595391 == pytest.approx(score(NDCG(10), "abcdef", grades), abs=1e-7)


def test_quepid_gets_the_same() -> None:
    """
    Ratings 0 3 1 give .64; average precision of (0, 1) with two relevant documents is .25.
    """
    grades = dict(zip("abc", (0, 3, 1), strict=True))

    assert 0.64 == pytest.approx(score(NDCG(10), "abc", grades), abs=0.005)
    assert 0.25 == score(AP(), "ab", {"a": 0, "b": 1, "c": 1})


def test_fifteen_queries_have_the_published_hit_rate_and_mrr() -> None:
    """
    Hit rate .933 and MRR .822.
    """
    grades = [{f"d{rank}": 1} if rank else {} for rank in FIRST_RELEVANT]
    ranking = [f"d{rank}" for rank in range(1, 6)]

    assert 0.933 == round(float(np.mean([score(Success(5), ranking, g) for g in grades])), 3)
    assert 0.822 == round(float(np.mean([score(RR(), ranking, g) for g in grades])), 3)


def test_trec_eval_gets_the_same_on_ten_thousand_queries() -> None:
    """
    Tie-free runs, to 1e-12; the exponential gain on judgments mapped to it.
    """
    draw = random.Random(11)
    runs, qrels = {}, {}
    for number in range(10_000):
        docs = [f"d{doc}" for doc in range(draw.randint(1, 30))]
        judged = draw.sample([f"d{doc}" for doc in range(40)], draw.randint(1, 12))
        runs[str(number)] = draw.sample(docs, len(docs))
        qrels[str(number)] = {doc: draw.randint(0, 3) for doc in judged}
    scored = {
        query: {doc: float(len(docs) - at) for at, doc in enumerate(docs)}
        for query, docs in runs.items()
    }
    asked = {"ndcg_cut.10", "ndcg", "recip_rank", "P.10", "recall.10", "map", "success.5"}
    oracle = pytrec_eval.RelevanceEvaluator(qrels, asked).evaluate(scored)
    exponential = {
        q: {doc: 2**grade - 1 for doc, grade in judged.items()} for q, judged in qrels.items()
    }
    mapped = pytrec_eval.RelevanceEvaluator(exponential, {"ndcg_cut.10"}).evaluate(scored)
    ours = {
        "ndcg_cut_10": NDCG(10, gain="linear"), "ndcg": NDCG(gain="linear"), "recip_rank": RR(),
        "P_10": Precision(10), "recall_10": Recall(10), "map": AP(), "success_5": Success(5),
    }  # fmt: skip

    worst = 0.0
    for query, ranking in runs.items():
        for name, measure in ours.items():
            value = score(measure, ranking, qrels[query])
            assert value is not None
            worst = max(worst, abs(value - oracle[query][name]))
        value = score(NDCG(10), ranking, qrels[query])
        assert value is not None
        worst = max(worst, abs(value - mapped[query]["ndcg_cut_10"]))

    assert worst <= 1e-12


DOCS = st.lists(st.sampled_from("abcdefgh"), max_size=8)
GRADES = st.dictionaries(st.sampled_from("abcdefghij"), st.integers(0, 3), max_size=8)


@given(DOCS, GRADES, st.sampled_from(ALL))
def test_every_measure_is_a_share(
    docs: list[str], grades: dict[str, int], measure: Measure
) -> None:
    """
    Within 0 and 1, whatever is ranked twice, unjudged or missing.
    """
    value = score(measure, docs, grades)

    assert value is None or 0 <= value <= 1 + 1e-12


@given(GRADES)
def test_the_ideal_order_gains_everything(grades: dict[str, int]) -> None:
    """
    nDCG of the ideal list is 1 as soon as anything is relevant.
    """
    ideal = sorted(grades, key=lambda doc: -grades[doc])

    assert float(any(grades.values())) == pytest.approx(score(NDCG(), ideal, grades))


@given(DOCS, GRADES, st.sampled_from(ALL))
def test_a_repeated_document_counts_once(
    docs: list[str], grades: dict[str, int], measure: Measure
) -> None:
    """
    Where it is first; the ranks below move up.
    """

    assert score(measure, docs, grades) == score(measure, [*docs, *docs], grades)


@pytest.mark.parametrize("measure", ALL)
def test_an_empty_list_is_worth_nothing(measure: Measure) -> None:
    """
    0, but for how much of it is judged, which can't be said.
    """
    expected = None if isinstance(measure, Judged) else 0.0

    assert expected == score(measure, [], {"a": 1})


def test_judged_is_by_what_is_listed() -> None:
    """
    Of a list of two, one judged (even as irrelevant) is a half, whatever k.
    """

    assert 0.5 == score(Judged(10), ["a", "b"], {"a": 0})


@pytest.mark.parametrize("grade", [-1, 31])
def test_a_grade_that_is_none_is_refused(grade: int) -> None:
    """
    Neither negative ones nor ones whose gain would swallow all others.
    """
    with pytest.raises(ValueError, match="not within"):
        score(NDCG(10), ["a"], {"a": grade})
