"""OpenSearch's `normalization-processor`, edge by edge."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from proxy.fusion import LegTable, OpenSearchNormalization, fuse_all
from proxy.fusion.os_bounds import LowerBound, UpperBound
from proxy.fusion.weights import Weights
from proxy.model import RankedList

NAMES = "abcde"
TWO = [{"a": 9.5, "b": 4.25, "c": 1.1}, {"b": 0.92, "d": 0.9, "a": 0.31}]
ZEROS = [{"a": 9.5, "b": 4.25, "c": 0.0}, {"c": 0.0}, {"b": 2.5, "d": 0.5}]
HUGE = {"a": 1e38, "b": 1e30, "c": 1.0}
TINY = [{"a": 3e-42, "b": 1e-45}, {"b": 5.0, "a": 3.0}]
FIVE = [
    {"a": 3.0, "b": 1.0},
    {"b": 2.0, "c": 2.0},
    {"d": 1e4, "a": 1.0},
    {"e": 0.125},
    {"a": 7.0, "e": 6.5, "c": 6.0},
]


def scored(scores: Mapping[str, float]) -> RankedList:
    """Documents by score, best first, as an engine's leg finds them: ties by document."""
    order = sorted(scores, key=lambda doc: (-scores[doc], doc))
    return RankedList(tuple(order), tuple(scores[doc] for doc in order))


def fused(fusion: OpenSearchNormalization, legs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    lists = dict(zip(NAMES, map(scored, legs), strict=False))
    (result,) = fuse_all(LegTable.of(lists), [(fusion, tuple(lists))], 100)
    return dict(zip(result.ids, result.scores, strict=True))


def weights(*given: float) -> Weights:
    """Of the first legs."""
    return tuple(zip(NAMES, given, strict=False))


@pytest.fixture
def answers(data_dir: Path) -> Any:
    """What OpenSearch 2.19.1 answered to searches with this processor."""
    path = data_dir / "opensearch-hybrid-golden.json"
    if not path.is_file():
        pytest.skip(f"no {path}")
    return [
        (case["legs"], case["processor"]["normalization-processor"], case["result"])
        for case in json.loads(path.read_text())
        if "normalization-processor" in case["processor"]
    ]


def problems(processor: Any) -> list[str]:
    """Why 2.19 refuses it, by making it or by its version."""
    try:
        return made(processor).problems_for((2, 19))
    except ValueError as exc:
        return [str(exc)]


def made(processor: Any) -> OpenSearchNormalization:
    """The fusion that copies the processor."""
    combination = processor["combination"]
    given = combination.get("parameters", {}).get("weights", ())
    return OpenSearchNormalization(
        processor["normalization"]["technique"], combination["technique"], weights(*given)
    )


def test_it_answers_as_the_engine_did(answers: Any):
    """
    Each document's score to 2e-6, in the same order.
    """
    answered = [case for case in answers if "hits" in case[2]]
    for legs, processor, result in answered:
        scores = fused(made(processor), legs)

        assert dict(result["hits"]) == pytest.approx(scores, abs=2e-6)
        assert [doc for doc, _ in result["hits"]] == [*scores]
    assert 24 == len(answered)


def test_it_refuses_what_the_engine_refused(answers: Any):
    """
    z_score before 3.0, and weights that don't sum to 1; nothing that it answered.
    """
    assert [
        ["normalization: z_score needs OpenSearch 3.0 or later"],
        ["weights: {'a': 0.5, 'b': 0.6} sum to 1.1, not to 1 (within 0.01)"],
    ] == [problems(processor) for _, processor, result in answers if "hits" not in result]
    assert not any(problems(processor) for _, processor, result in answers if "hits" in result)


@pytest.mark.parametrize(
    ("technique", "mean", "given", "legs", "expected"),
    [
        (
            "rrf", "arithmetic_mean", (), TWO,
            {"b": 0.016261237, "a": 0.01613323, "d": 0.008064516, "c": 0.007936508},
        ),
        (
            "rrf", "geometric_mean", (), TWO,
            {"b": 0.016260698, "a": 0.016131133, "d": 0.016129034, "c": 0.015873019},
        ),
        (
            "rrf", "harmonic_mean", (), TWO,
            {"b": 0.016260162, "a": 0.016129032, "d": 0.016129032, "c": 0.015873017},
        ),
        (
            "min_max", "arithmetic_mean", (), ZEROS,
            {"b": 0.33366668, "a": 0.33333334, "d": 0.00033333336},
        ),
        ("l2", "geometric_mean", (), ZEROS, {"a": 0.9128182, "b": 0.63280004, "d": 0.19611615}),
        (
            "min_max", "geometric_mean", (0.0, 1.0), TWO,
            {"b": 1.0, "d": 0.96721303, "a": 0.0009999999, "c": 0.0},
        ),
        (
            "l2", "harmonic_mean", (1.0, 0.0), TWO,
            {"a": 0.9077618, "b": 0.40610403, "c": 0.105109274, "d": 0.0},
        ),
        (
            "min_max", "harmonic_mean", (0.5, 0.49), TWO,
            {"d": 0.96721303, "b": 0.54296166, "a": 0.0020183485, "c": 0.001},
        ),
        (
            "l2", "arithmetic_mean", (0.5, 0.51), TWO,
            {"a": 0.56763166, "b": 0.5519612, "d": 0.3432909, "c": 0.052034296},
        ),
        (
            "min_max", "arithmetic_mean", (), FIVE,
            {"a": 0.40019998, "e": 0.3, "b": 0.2002, "c": 0.2002, "d": 0.2},
        ),
        (
            "min_max", "arithmetic_mean", (), [HUGE, {"c": 1e20, "a": 3e38}],
            {"a": 1.0, "c": 0.001, "b": 5.0000004e-09},
        ),
        (
            "l2", "arithmetic_mean", (), [HUGE, {"c": 5.0, "a": 3.0}],
            {"c": 0.4287465, "a": 0.2572479, "b": 0.0},
        ),
        ("l2", "arithmetic_mean", (), TINY, {"b": 0.4287465, "a": 0.2572479}),
        ("min_max", "arithmetic_mean", (), TINY, {"a": 0.5005, "b": 0.5005}),
    ],
)  # fmt: skip
def test_more_answers_of_the_engine(
    technique: Any, mean: Any, given: tuple[float, ...], legs: Any, expected: dict[str, float]
):
    """
    Seen on OpenSearch 2.19.1: ranks as scores, zeros, weights at their limits, numbers at theirs.
    """
    scores = fused(OpenSearchNormalization(technique, mean, weights(*given)), legs)

    assert expected == pytest.approx(scores, rel=1e-6, abs=1e-12)
    assert [*expected] == [*scores]


def test_bounds_are_of_legs():
    """
    Each leg has its own.
    """
    fusion = OpenSearchNormalization(
        lower_bounds=(("a", LowerBound("clip", 0.3)), ("b", LowerBound("ignore"))),
        upper_bounds=(("a", UpperBound("ignore")), ("b", UpperBound("clip", 10))),
    )

    scores = fused(fusion, [{"x": 0.8, "y": 0.5, "z": 0.2}, {"x": 20.0, "z": 2.0}])

    assert {"x": 1.0, "y": 0.2, "z": 0.001} == pytest.approx(scores, abs=2e-6)


def test_z_score_is_averaged():
    """
    2, 7, 8 in one leg; the other has a single document.
    """
    fusion = OpenSearchNormalization("z_score", weights=weights(0.5, 0.5))

    scores = fused(fusion, [{"x": 8, "y": 7, "z": 2}, {"z": 1}])

    expected = {"z": 0.5005, "x": 0.362935, "y": 0.20739}
    assert expected == pytest.approx(scores, abs=5e-6)


def test_a_constant_is_of_ranks():
    """
    1 / (1 + 1) and 1 / (1 + 2), halved: the mean of ranks is no sum.
    """
    scores = fused(OpenSearchNormalization("rrf", rank_constant=1), [{"x": 2, "y": 1}, {"z": 3}])

    assert {"x": 0.25, "z": 0.25, "y": 1 / 6} == pytest.approx(scores, abs=2e-6)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (
            {"normalization": "z_score", "combination": "geometric_mean"},
            r"combination: 'geometric_mean' does not go with z_score; choices: arithmetic_mean",
        ),
        ({"weights": weights(0.5, 0.6)}, r"weights: .* sum to 1.1, not to 1"),
        ({"weights": weights(1.2, -0.2)}, r"weights\.a: 1.2 is not from 0 to 1"),
        (
            {"normalization": "rrf", "rank_constant": 10_001},
            r"rank_constant: 10001 is not from 1 to 10000",
        ),
        ({"rank_constant": 20}, r"rank_constant: has no meaning for min_max, only for rrf"),
        (
            {"normalization": "l2", "lower_bounds": (("a", LowerBound()),)},
            r"lower_bounds: has no meaning for l2, only for min_max",
        ),
        (
            {"normalization": "rrf", "upper_bounds": (("a", UpperBound()),)},
            r"upper_bounds: has no meaning for rrf, only for min_max",
        ),
    ],
)
def test_what_is_refused(options: Any, problem: str):
    """
    When it is made, with the field, the value and the choices.
    """
    with pytest.raises(ValueError, match=f"^{problem}"):
        OpenSearchNormalization(**options)


def test_what_depends_on_the_legs():
    """
    Lists are for all legs or not given, and for no others.
    """
    fusion = OpenSearchNormalization(
        weights=weights(1.0),
        lower_bounds=(("x", LowerBound()), ("a", LowerBound())),
        upper_bounds=(("b", UpperBound()),),
    )

    assert [
        "weights: none for b; OpenSearch wants all legs or none",
        "lower_bounds: 'x' is no leg of this pipeline; choices: a, b",
        "lower_bounds: none for b; OpenSearch wants all legs or none",
        "upper_bounds: none for a; OpenSearch wants all legs or none",
    ] == fusion.leg_problems(("a", "b"))


@pytest.mark.parametrize(
    ("options", "version", "problems"),
    [
        ({}, (2, 9), ["kind: os_norm needs OpenSearch 2.10 or later"]),
        ({}, (2, 10), []),
        (
            {"normalization": "rrf"},
            (2, 18),
            ["normalization: rrf needs OpenSearch 2.19 or later"],
        ),
        ({"normalization": "rrf"}, (2, 19), []),
        (
            {"normalization": "rrf", "rank_constant": 20},
            (2, 19),
            ["rank_constant: of normalization rrf needs OpenSearch 3.0 or later"],
        ),
        (
            {"normalization": "z_score"},
            (2, 19),
            ["normalization: z_score needs OpenSearch 3.0 or later"],
        ),
        ({"normalization": "z_score"}, (3, 0), []),
        (
            {"lower_bounds": (("a", LowerBound()),), "upper_bounds": (("a", UpperBound()),)},
            (2, 19),
            [
                "lower_bounds: of min_max needs OpenSearch 3.0 or later",
                "upper_bounds: of min_max needs OpenSearch 3.2 or later",
            ],
        ),
        ({"upper_bounds": (("a", UpperBound()),)}, (3, 2), []),
    ],
)
def test_which_version_has_what(options: Any, version: tuple[int, int], problems: list[str]):
    """
    What 2.19 would take without a word and not do is a problem, too.
    """
    assert problems == OpenSearchNormalization(**options).problems_for(version)
