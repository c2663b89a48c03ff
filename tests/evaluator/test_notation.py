"""Measures print as they parse."""

from __future__ import annotations

import pytest

from evaluator.measures import NDCG, RR, Measure, Precision, Recall
from evaluator.notation import parse


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("nDCG@10", NDCG(10)),
        ("nDCG(gain=linear)@10", NDCG(10, gain="linear")),
        ("RR", RR()),
        ("RR(rel=2)@10", RR(10, rel=2)),
        ("P@5", Precision(5)),
        ("R@100", Recall(100)),
    ],
)
def test_a_measure_prints_as_it_parses(text: str, measure: Measure) -> None:
    """
    The name in a metric's label is what the configuration says.
    """

    assert measure == parse(text)
    assert text == str(measure)


@pytest.mark.parametrize("text", ["nDCG(gain=exp)@10", " nDCG@10 "])
def test_defaults_are_not_printed(text: str) -> None:
    """
    Two ways to write a measure are one measure, and one label.
    """

    assert "nDCG@10" == str(parse(text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ndcg@10", "choices: nDCG, RR"),
        ("nDCG@0", "is no measure"),
        ("nDCG@ten", "is no measure"),
        ("", "is no measure"),
        ("P", "needs a cutoff"),
        ("nDCG@1001", "beyond 1000"),
        ("nDCG(gain=log)@10", "choices: exp, linear"),
        ("RR(gain=exp)", "choices: rel"),
        ("RR(rel=2,rel=3)", "twice"),
        ("RR(rel=0)", "no grade"),
        ("RR()", "no such option"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str) -> None:
    """
    With the choices, where there are some.
    """
    with pytest.raises(ValueError, match=said.replace("(", r"\(")):
        parse(text)
