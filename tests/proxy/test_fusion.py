"""All fusions against a slow and plain oracle, and the laws that they keep."""

from __future__ import annotations

from math import exp, isfinite, log, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.fusion import (
    FUSIONS,
    RRF,
    ElasticsearchLinear,
    ElasticsearchRRF,
    Fusion,
    LegTable,
    OpenSearchNormalization,
    OpenSearchRRF,
    Weighted,
    fuse_all,
)
from proxy.fusion.os_bounds import LowerBound, UpperBound
from proxy.fusion.weights import LARGEST, Weights
from proxy.model import RankedList

NAMES = ("a", "b", "c")
FORMS = [
    (how, mean)
    for how in ("min_max", "l2", "z_score", "none")
    for mean in ("arithmetic_mean", "geometric_mean", "harmonic_mean")
    if how != "none" or mean == "arithmetic_mean"
]
weights = st.lists(st.sampled_from([0.0, 0.3, 1.0, 2.5]), min_size=3, max_size=3).filter(any)
named = weights.map(lambda found: tuple(zip(NAMES, found, strict=True))) | st.just(())
rrfs = st.builds(RRF, st.integers(1, 100), named)
weighteds = st.builds(lambda form, given: Weighted(*form, given), st.sampled_from(FORMS), named)
fusions = rrfs | weighteds

parts = st.sampled_from([(), (0.2, 0.3, 0.5), (0.0, 1.0, 0.0), (0.34, 0.33, 0.33)]).map(
    lambda found: tuple(zip(NAMES, found, strict=False))
)
normalizers = st.sampled_from(["none", "minmax", "l2_norm"])
modes = st.sampled_from(["apply", "clip", "ignore"])
limits = st.sampled_from([-3.0, 0.0, 0.5, 7.0, 1e4])


def by_leg(of: st.SearchStrategy) -> st.SearchStrategy:
    """(leg, value) pairs for every leg, or none."""
    every = st.lists(of, min_size=3, max_size=3)
    return st.just(()) | every.map(lambda found: tuple(zip(NAMES, found, strict=True)))


means = st.sampled_from(["arithmetic_mean", "geometric_mean", "harmonic_mean"])
dialects = st.one_of(
    st.builds(ElasticsearchRRF, st.integers(1, 100), named),
    st.builds(ElasticsearchLinear, normalizers, by_leg(normalizers), named),
    st.builds(OpenSearchRRF, st.integers(1, 100), parts),
    st.builds(
        OpenSearchNormalization,
        st.just("min_max"),
        means,
        parts,
        by_leg(st.builds(LowerBound, modes, limits)),
        by_leg(st.builds(UpperBound, modes, limits)),
    ),
    st.builds(OpenSearchNormalization, st.just("l2"), means, parts),
    st.builds(OpenSearchNormalization, st.just("z_score"), weights=parts),
    st.builds(
        OpenSearchNormalization, st.just("rrf"), means, parts, rank_constant=st.integers(1, 99)
    ),
)
every_fusion = fusions | dialects
values = st.floats(0, 1e6, allow_subnormal=False) | st.sampled_from([0.0, 0.5, 1.0, 7.0])


@st.composite
def ranked_lists(draw: st.DrawFn) -> RankedList:
    """A leg's list: some of nine documents, scores falling, with ties."""
    ids = draw(st.lists(st.sampled_from("stuvwxyz0"), unique=True, max_size=9))
    return scored(ids, draw(st.lists(values, min_size=len(ids), max_size=len(ids))))


@st.composite
def wild_lists(draw: st.DrawFn) -> RankedList:
    """A leg's list with any scores that a table takes: below 0, tiny, or as large as can be."""
    ids = draw(st.lists(st.sampled_from("stuvwxyz0"), unique=True, max_size=9))
    scores = st.floats(-LARGEST, LARGEST) | st.sampled_from([LARGEST, -LARGEST, 1e-45, 0.0])
    return scored(ids, draw(st.lists(scores, min_size=len(ids), max_size=len(ids))))


def scored(ids: list[str], scores: list[float]) -> RankedList:
    return RankedList(tuple(ids), tuple(sorted(scores, reverse=True)))


retrievals = st.fixed_dictionaries(dict.fromkeys(NAMES, ranked_lists()))
wild = st.fixed_dictionaries(dict.fromkeys(NAMES, wild_lists()))


def normal(how: str, scores: list[float]) -> list[float]:
    """The spec's sentences, one by one."""
    if how == "none":
        return scores
    if len(set(scores)) <= 1:
        return [1.0] * len(scores)
    low, high, size = min(scores), max(scores), len(scores)
    if how == "min_max":
        return [0.001 + 0.999 * (s - low) / (high - low) for s in scores]
    if how == "l2":
        return [s / high / sqrt(sum((t / high) ** 2 for t in scores)) for s in scores]
    part = [(s - low) / (high - low) for s in scores]
    mean = sum(part) / size
    deviation = sqrt(sum((p - mean) ** 2 for p in part) / (size - 1))
    return [p / deviation + 0.001 for p in part]


def mean(how: str, scores: list[float | None], shares: list[float]) -> float:
    """None is a leg that doesn't have the document."""
    if how == "arithmetic_mean":
        return sum(w * (s or 0) for w, s in zip(shares, scores, strict=True)) / sum(shares)
    lifted = [max(0.001, s or 0) for s in scores]
    if how == "geometric_mean":
        total = sum(w * log(s) for w, s in zip(shares, lifted, strict=True))
        return exp(total / sum(shares))
    return sum(shares) / sum(w / s for w, s in zip(shares, lifted, strict=True))


def shares_of(given: Weights, legs: list[str]) -> list[float]:
    found = [dict(given).get(leg, 1.0) for leg in legs]
    return found if any(found) else [1.0] * len(legs)


def oracle(fusion: RRF | Weighted, lists: dict[str, RankedList]) -> dict[str, float]:
    """Every document's score, as slowly as it gets."""
    legs = sorted(lists)
    shares = shares_of(fusion.weights, legs)
    scores: dict[str, float] = {}
    for doc in {doc for ranked in lists.values() for doc in ranked.ids}:
        if isinstance(fusion, RRF):
            scores[doc] = sum(
                share / (fusion.rank_constant + lists[leg].ids.index(doc) + 1)
                for leg, share in zip(legs, shares, strict=True)
                if doc in lists[leg].ids
            )
            continue
        found = []
        for leg in legs:
            by_id = dict(
                zip(
                    lists[leg].ids,
                    normal(fusion.normalization, list(lists[leg].scores)),
                    strict=True,
                )
            )
            found.append(by_id.get(doc))
        scores[doc] = mean(fusion.combination, found, shares)
    return scores


def fuse(fusion: Fusion, lists: dict[str, RankedList], size: int = 100) -> RankedList:
    return fuse_all(LegTable.of(lists), [(fusion, tuple(lists))], size)[0]


@given(fusions, retrievals)
@settings(max_examples=400)
def test_every_score_is_the_oracles(fusion: RRF | Weighted, lists: dict[str, RankedList]):
    """
    To 1e-12 (of the score, where it is above 1), for the same documents.
    """
    fused = fuse(fusion, lists)

    expected = oracle(fusion, lists)
    assert expected.keys() == set(fused.ids)
    for _, doc, score in fused.ranks():
        assert expected[doc] == pytest.approx(score, rel=1e-12, abs=1e-12)


@given(every_fusion, retrievals)
def test_the_order_is_total(fusion: Fusion, lists: dict[str, RankedList]):
    """
    By score, ties by document id, each document once.
    """
    fused = fuse(fusion, lists)

    keys = [(-score, doc) for _, doc, score in fused.ranks()]
    assert sorted(keys) == keys
    assert len(set(fused.ids)) == len(fused)


@given(st.lists(every_fusion, min_size=1, max_size=8), retrievals, st.permutations(NAMES))
def test_neither_arrival_nor_company_changes_a_list(
    several: list[Fusion], lists: dict[str, RankedList], order: list[str]
):
    """
    Legs in any order, alone or with others, one by one or at once: the very same numbers.
    """
    table = LegTable.of({})
    for name in order:
        table = table.joined({name: lists[name]})

    together = fuse_all(table, [(fusion, tuple(order)) for fusion in several], 5)

    assert [fuse(fusion, lists, 5) for fusion in several] == together
    assert together == fuse_all(table, [(fusion, NAMES) for fusion in several], 5)


@given(every_fusion, retrievals, st.integers(0, 10))
def test_a_shorter_list_is_the_beginning_of_a_longer_one(
    fusion: Fusion, lists: dict[str, RankedList], size: int
):
    """
    The cut never changes who is above it.
    """
    assert fuse(fusion, lists).top(size) == fuse(fusion, lists, size)


@given(every_fusion, retrievals, st.sampled_from([("a",), ("a", "c"), ("b", "c")]))
def test_a_pipeline_sees_only_the_legs_it_asked_for(
    fusion: Fusion, lists: dict[str, RankedList], legs: tuple[str, ...]
):
    """
    A table with more legs gives the same list as one without them.
    """
    whole = fuse_all(LegTable.of(lists), [(fusion, legs)], 100)

    assert [fuse(fusion, {leg: lists[leg] for leg in legs})] == whole


@given(fusions, retrievals)
def test_of_two_documents_of_one_leg_the_worse_is_never_above(
    fusion: RRF | Weighted, lists: dict[str, RankedList]
):
    """
    Of those that exactly one and the same leg found, a worse one never has the higher score.
    """
    fused = fuse(fusion, lists)
    scores = dict(zip(fused.ids, fused.scores, strict=True))
    for name, ranked in lists.items():
        elsewhere = {doc for other in NAMES if other != name for doc in lists[other].ids}
        alone = [scores[doc] for doc in ranked.ids if doc not in elsewhere]
        assert sorted(alone, reverse=True) == alone


@given(every_fusion, wild)
def test_every_score_is_a_number_and_nothing_is_changed(
    fusion: Fusion, lists: dict[str, RankedList]
):
    """
    Finite whatever finite scores come in, twice the same, and what came in is as it was.
    """
    before = {name: RankedList(ranked.ids, ranked.scores) for name, ranked in lists.items()}
    table = LegTable.of(lists)

    first, again = (fuse_all(table, [(fusion, NAMES)], 100)[0] for _ in range(2))

    assert all(isfinite(score) for score in first.scores)
    assert first == again
    assert (before, before) == (lists, dict(table.lists))


@given(weighteds.filter(lambda fusion: fusion.normalization in ("min_max", "l2")), retrievals)
def test_weighted_means_stay_within_0_and_1(fusion: Weighted, lists: dict[str, RankedList]):
    """
    For min_max and l2, whose own values do.
    """
    assert all(-1e-12 <= score <= 1 + 1e-12 for score in fuse(fusion, lists).scores)


@given(rrfs, retrievals)
def test_rrf_never_exceeds_first_place_everywhere(fusion: RRF, lists: dict[str, RankedList]):
    """
    Scores lie between 0 and the sum of weights over rank_constant + 1.
    """
    highest = sum(shares_of(fusion.weights, sorted(lists))) / (fusion.rank_constant + 1)

    assert all(0 <= score <= highest + 1e-12 for score in fuse(fusion, lists).scores)


@pytest.mark.parametrize(
    "fusion", [*(kind() for kind in FUSIONS.values()), *(Weighted(*form) for form in FORMS)]
)
def test_nothing_found_is_an_empty_list(fusion: Fusion):
    """
    Legs that answer with nothing are no error.
    """
    assert RankedList() == fuse(fusion, {"a": RankedList(), "b": RankedList()})


def test_no_fusion_is_asked_for_no_list():
    """
    An empty batch is fine.
    """
    assert [] == fuse_all(LegTable.of({}), [], 10)


def test_the_weight_of_a_failed_leg_is_not_in_the_divisor():
    """
    A leg that is left out is as if the pipeline never had it.
    """
    lists = {"a": RankedList(("x",), (3.0,))}

    assert (1.0,) == fuse(Weighted(weights=(("a", 1.0), ("b", 9.0))), lists).scores


def test_what_kind_may_name():
    """
    The registry is what the configuration offers.
    """
    assert {
        "rrf": RRF,
        "weighted": Weighted,
        "es_rrf": ElasticsearchRRF,
        "es_linear": ElasticsearchLinear,
        "os_norm": OpenSearchNormalization,
        "os_rrf": OpenSearchRRF,
    } == FUSIONS
