"""OpenSearch's `score-ranker-processor`, edge by edge."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from proxy.fusion import LegTable, OpenSearchRRF, fuse_all
from proxy.model import RankedList
from tests.fakes import ranked

NAMES = "abcde"


def scored(scores: Mapping[str, float]) -> RankedList:
    """Documents by score, best first, as an engine's leg finds them: ties by document."""
    order = sorted(scores, key=lambda doc: (-scores[doc], doc))
    return RankedList(tuple(order), tuple(scores[doc] for doc in order))


def fused(fusion: OpenSearchRRF, legs: Sequence[RankedList]) -> dict[str, float]:
    lists = dict(zip(NAMES, legs, strict=False))
    (result,) = fuse_all(LegTable.of(lists), [(fusion, tuple(lists))], 100)
    return dict(zip(result.ids, result.scores, strict=True))


@pytest.fixture
def answers(data_dir: Path) -> Any:
    """What OpenSearch 2.19.1 answered to searches with this processor."""
    path = data_dir / "opensearch-hybrid-golden.json"
    if not path.is_file():
        pytest.skip(f"no {path}")
    return [
        (case["legs"], case["processor"]["score-ranker-processor"], case["result"])
        for case in json.loads(path.read_text())
        if "score-ranker-processor" in case["processor"]
    ]


def test_it_answers_as_the_engine_did(answers: Any):
    """
    Each document's score to 2e-6, in the same order; what the engine refused is refused.
    """
    for legs, processor, result in answers:
        options = processor["combination"]["parameters"]
        if "hits" not in result:
            with pytest.raises(ValueError, match=f"^rank_constant: {options['rank_constant']} is"):
                OpenSearchRRF(**options)
            continue

        scores = fused(OpenSearchRRF(**options), [scored(leg) for leg in legs])

        assert dict(result["hits"]) == pytest.approx(scores, abs=2e-6)
        assert [doc for doc, _ in result["hits"]] == [*scores]
    assert 6 == len(answers)


@pytest.mark.parametrize(
    ("weights", "score"), [((), 0.032522), ((("a", 0.7), ("b", 0.3)), 0.016314)]
)
def test_weights_are_not_divided_by_their_sum(weights: tuple, score: float):
    """
    Ranks 1 and 2: as they sum to 1, a weighted score is about half of one without weights.
    """
    scores = fused(OpenSearchRRF(weights=weights), [ranked("d"), ranked("e d")])

    assert score == pytest.approx(scores["d"], abs=2e-6)


def test_reciprocals_are_rounded_to_ten_decimals():
    """
    Which single precision can tell, for a large constant, from the reciprocals themselves.
    """
    assert {"a": 0.0000999900} == pytest.approx(
        fused(OpenSearchRRF(10_000), [ranked("a"), RankedList()]), abs=1e-11
    )


def test_a_hit_that_scores_0_has_no_rank():
    """
    OpenSearch's legs don't collect it; those after it move up, and its leg isn't bad for it.
    """
    below = RankedList(("x", "y", "z"), (1.0, 0.0, -1.0))
    table = LegTable.of({"a": below})

    assert ["x", "z"] == [*fused(OpenSearchRRF(), [below, RankedList(("y",), (0.0,))])]
    assert 1 / 62 == pytest.approx(fused(OpenSearchRRF(), [below])["z"], abs=1e-8)
    assert () == OpenSearchRRF().usable(table).bad


def test_what_depends_on_the_legs():
    """
    At most five, and weights for all of them.
    """
    fusion = OpenSearchRRF(weights=(("a", 1.0),))

    assert [
        "kind: OpenSearch fuses at most 5 sub-queries, and there are 6",
        "weights: none for b, c, d, e, f; OpenSearch wants all legs or none",
    ] == fusion.leg_problems(tuple("abcdef"))


@pytest.mark.parametrize("constant", [0, 10_001])
def test_a_constant_is_from_1_to_10000(constant: int):
    """
    As the processor has it.
    """
    with pytest.raises(ValueError, match=f"^rank_constant: {constant} is not from 1 to 10000"):
        OpenSearchRRF(constant)


def test_weights_sum_to_1():
    """
    As the processor has it.
    """
    with pytest.raises(ValueError, match=r"^weights: .* sum to 1.1, not to 1"):
        OpenSearchRRF(weights=(("a", 0.5), ("b", 0.6)))


@pytest.mark.parametrize(
    ("weights", "version", "problems"),
    [
        ((), (2, 18), ["kind: os_rrf needs OpenSearch 2.19 or later"]),
        ((), (2, 19), []),
        ((("a", 1.0),), (3, 0), ["weights: of reciprocal ranks needs OpenSearch 3.1 or later"]),
        ((("a", 1.0),), (3, 1), []),
    ],
)
def test_which_version_has_what(weights: tuple, version: tuple[int, int], problems: list[str]):
    """
    Weights came with 3.1.
    """
    assert problems == OpenSearchRRF(weights=weights).problems_for(version)
