"""Elasticsearch's `linear` retriever, edge by edge."""

from __future__ import annotations

import numpy as np
import pytest

from proxy.fusion import ElasticsearchLinear, LegTable, fuse_all
from proxy.fusion.es_linear import l2_norm, minmax, none
from proxy.model import RankedList


def scored(**scores: float) -> RankedList:
    """Documents by score, best first."""
    order = sorted(scores, key=lambda doc: -scores[doc])
    return RankedList(tuple(order), tuple(scores[doc] for doc in order))


def fused(fusion: ElasticsearchLinear, **lists: RankedList) -> dict[str, float]:
    (result,) = fuse_all(LegTable.of(lists), [(fusion, tuple(lists))], 100)
    return dict(zip(result.ids, result.scores, strict=True))


def single(*scores: float) -> np.ndarray:
    return np.array(scores, np.float32)


def test_raw_scores_are_weighed_as_they_are():
    """
    By default nothing is normalized: .5 of 10, and 2 of a knn score of 1.
    """
    fusion = ElasticsearchLinear(weights=(("knn", 2.0), ("text", 0.5)))

    assert {"a": 5.0, "b": 2.0} == fused(fusion, text=scored(a=10), knn=scored(b=1))


def test_the_lowest_of_minmax_is_as_good_as_missing():
    """
    Only the text leg is normalized; its last document scores 0 and comes after knn's.
    """
    fusion = ElasticsearchLinear(
        normalizers=(("text", "minmax"),), weights=(("knn", 2.0), ("text", 10.0))
    )

    scores = fused(fusion, text=scored(doc1=10, doc2=9, doc3=5), knn=scored(doc4=1))

    assert {"doc1": 10.0, "doc2": 8.0, "doc4": 2.0, "doc3": 0.0} == pytest.approx(scores, abs=2e-6)
    assert ["doc1", "doc2", "doc4", "doc3"] == [*scores]


def test_l2_norm_divides_by_the_length():
    """
    (3, 4) by 5 and (6, 8) by 10.
    """
    fusion = ElasticsearchLinear("l2_norm", weights=(("a", 10.0), ("b", 2.0)))

    scores = fused(fusion, a=scored(doc1=3, doc2=4), b=scored(doc3=6, doc4=8))

    expected = {"doc2": 8.0, "doc1": 6.0, "doc4": 1.6, "doc3": 1.2}
    assert expected == pytest.approx(scores, abs=2e-6)
    assert [*expected] == [*scores]


def test_a_leg_of_zeros_stays_one_under_l2_norm():
    """
    Its length is 0: its scores are left alone, and its documents stay.
    """
    assert {"a": 0.0, "b": 0.0} == fused(ElasticsearchLinear("l2_norm"), x=scored(b=0, a=0))


def test_weights_are_not_divided_by_their_sum():
    """
    A document that both legs place first has their sum; a leg that isn't named weighs 1.
    """
    fusion = ElasticsearchLinear("minmax", weights=(("x", 3.0),))

    assert {"a": 4.0, "b": 0.0} == fused(fusion, x=scored(a=9, b=1), y=scored(a=5, b=2))


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([7], [1]),
        ([2, 2, 2], [1, 1, 1]),
        ([0, 0], [1, 1]),
        ([0.5 + 5e-7, 0.5], [1, 1]),
        ([5e-7, 0], [1, 1]),
        ([10, 9, 5], [1, 0.8, 0]),
        ([0.25, -0.75], [1, 0]),
        ([-1, -3], [2 / 3, 0]),
        ([-2, -2], [0, 0]),
        ([], []),
    ],
)
def test_minmax(scores: list[float], expected: list[float]):
    """
    Nearer than a millionth is equal; below 0 the highest is held to be just above it.
    """
    assert expected == pytest.approx(minmax(single(*scores)).tolist(), abs=2e-6)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([4, 3], [0.8, 0.6]),
        ([3, -4], [0.6, -0.8]),
        ([5e-7, 5e-7], [5e-7, 5e-7]),
        ([0, 0], [0, 0]),
        ([], []),
    ],
)
def test_l2_norm(scores: list[float], expected: list[float]):
    """
    A length below a millionth changes nothing.
    """
    assert expected == pytest.approx(l2_norm(single(*scores)).tolist(), rel=1e-6)


def test_none_is_the_score():
    """
    Whatever it is.
    """
    assert [3, -1] == none(single(3, -1)).tolist()


def test_a_leg_has_its_own_normalizer_or_the_default():
    """
    By name.
    """
    fusion = ElasticsearchLinear("minmax", (("dense", "none"),))

    assert ("none", "minmax") == (fusion.normalizer_of("dense"), fusion.normalizer_of("bm25"))


def test_normalizers_are_for_legs_of_the_pipeline():
    """
    What no leg has is a mistake in the file.
    """
    fusion = ElasticsearchLinear(normalizers=(("bm52", "minmax"), ("dense", "none")))

    assert [
        "normalizers: 'bm52' is no leg of this pipeline; choices: bm25, dense"
    ] == fusion.leg_problems(("bm25", "dense"))


def test_a_negative_weight_is_refused():
    """
    As the retriever does.
    """
    with pytest.raises(ValueError, match=r"^weights\.a: -1.0 is not a finite number of at least 0"):
        ElasticsearchLinear(weights=(("a", -1.0), ("b", 2.0)))


@pytest.mark.parametrize(
    ("fusion", "version", "problems"),
    [
        (
            ElasticsearchLinear(),
            (8, 17),
            ["kind: es_linear needs Elasticsearch 8.18 or later"],
        ),
        (ElasticsearchLinear("minmax"), (8, 18), []),
        (
            ElasticsearchLinear("l2_norm"),
            (8, 18),
            ["normalizer: l2_norm needs Elasticsearch 8.19 or later"],
        ),
        (ElasticsearchLinear("l2_norm"), (8, 19), []),
        (
            ElasticsearchLinear(normalizers=(("a", "l2_norm"),)),
            (9, 0),
            ["normalizer: l2_norm needs Elasticsearch 9.1 or later"],
        ),
        (ElasticsearchLinear("l2_norm"), (9, 1), []),
    ],
)
def test_which_version_has_what(
    fusion: ElasticsearchLinear, version: tuple[int, int], problems: list[str]
):
    """
    `l2_norm` reached 8.19 and 9.1, not 9.0.
    """
    assert problems == fusion.problems_for(version)
