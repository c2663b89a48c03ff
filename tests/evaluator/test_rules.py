"""What sums depend on, and what is wrong with the evaluator's sections."""

from __future__ import annotations

from typing import Any

import pytest

from config.schema import Judging
from evaluator.measures import NDCG
from evaluator.rules import problems
from evaluator.rules import rules as rules_of
from tests.evaluator.made import rules, settings


def test_times_are_milliseconds_and_windows_are_divided() -> None:
    """
    24 buckets a window, 12 a served window.
    """
    found = rules_of(settings(window=86400.0, served_window=3600.0, settle=60.0))

    assert (60_000, 3_600_000, 300_000) == (found.settle_ms, found.bucket_ms, found.served_ms)
    assert ["nDCG@10", "RR", "Success@5"] == [str(measure) for measure in found.measures]


@pytest.mark.parametrize(
    "changed",
    [
        {"satisfied_ms": 1}, {"session_ms": 1}, {"settle_ms": 1}, {"bucket_ms": 1},
        {"served_ms": 1}, {"measures": (NDCG(5),)},
    ],
)  # fmt: skip
def test_other_rules_have_other_sums(changed: dict[str, Any]) -> None:
    """
    The hash in the state's key tells each of them.
    """

    assert rules(**changed).judging != rules().judging
    assert rules(**changed).judging == rules(**changed).judging


def test_a_valid_configuration_has_no_problems() -> None:
    """
    The defaults are one.
    """

    assert () == problems(settings())


def test_every_problem_is_named_at_once() -> None:
    """
    With its path and value, and the choices.
    """
    wrong = settings(settle=60.0, measures=("ndcg@10", "RR", "RR(rel=1)", "Judged@10"))
    found = problems(wrong.model_copy(update={"judging": Judging(session=60.0)}))

    assert [
        "evaluator.settle: 60 s is not shorter than judging.session (60 s): "
        "nothing could be corrected",
        "evaluator.measures.0: 'ndcg@10' is no measure; "
        "choices: nDCG, RR, Success, P, R, AP, Judged",
        "evaluator.measures.2: 'RR(rel=1)' is named twice",
        "evaluator.measures.3: 'Judged@10' is exported already, as shadowrank_share",
    ] == list(found)
