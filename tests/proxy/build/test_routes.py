"""Tests of proxy.build.routes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxy.model import Exists, Range, Terms
from proxy.plan import Plan

Planned = Callable[[dict[str, Any]], Plan]
Problems = Callable[[dict[str, Any]], list[str]]


def test_a_route_is_its_pipelines_with_shares_and_rates(
    sound: dict[str, Any], planned: Planned
) -> None:
    """
    Live and shadows in file order.
    """
    route = planned(sound).routes["faq"]

    assert [("alone", 0.25), ("near", 0.75)] == [(made.name, share) for made, share in route.live]
    assert [("rrf", 0.5)] == [(made.name, rate) for made, rate in route.shadows]
    assert 0.8 == route.deadline


def test_the_window_is_the_smallest_of_all_pipelines(
    sound: dict[str, Any], planned: Planned
) -> None:
    """
    A page that a shadow can't follow would be judged unfairly.
    """

    assert 40 == planned(sound).routes["faq"].window


def test_the_window_is_100_at_most(sound: dict[str, Any], planned: Planned) -> None:
    """
    No record holds a deeper list.
    """
    for leg in sound["legs"].values():
        leg |= {"window": 500}
    sound["legs"]["dense"] |= {"num_candidates": 500}

    assert 100 == planned(sound).routes["faq"].window


def test_totals_come_from_the_first_lexical_leg_of_a_live_pipeline(
    sound: dict[str, Any], planned: Planned
) -> None:
    """
    Shadows don't count, and names decide.
    """

    assert "bm25" == planned(sound).routes["faq"].primary[0]


def test_without_a_lexical_leg_totals_come_from_the_first(
    sound: dict[str, Any], planned: Planned
) -> None:
    """
    A knn leg counts what it filtered.
    """
    sound["routes"]["faq"]["live"] = {"alone": 1.0}

    assert "dense" == planned(sound).routes["faq"].primary[0]


def test_the_primary_leg_can_be_named(sound: dict[str, Any], planned: Planned) -> None:
    """
    Any leg of a live pipeline will do.
    """
    sound["routes"]["faq"]["primary"] = "dense"

    assert "dense" == planned(sound).routes["faq"].primary[0]


def test_a_shadow_s_leg_cannot_be_primary(sound: dict[str, Any], problems: Problems) -> None:
    """
    It isn't always asked.
    """
    sound["routes"]["faq"]["primary"] = "text"

    assert ["routes.faq.primary: 'text' is no leg of a live pipeline; choices: bm25, dense"] == (
        problems(sound)
    )


def test_a_request_s_vector_has_the_length_of_the_index(
    sound: dict[str, Any], planned: Planned
) -> None:
    """
    It is known from the vectors' file, without an embedder.
    """
    route = planned(sound).routes["faq"]

    assert (None, 3) == (route.embedder, route.dimension)


def test_a_route_without_vectors_takes_none(sound: dict[str, Any], planned: Planned) -> None:
    """
    There is nothing to compare one with.
    """
    sound["pipelines"] = {"words": {"legs": ["bm25"]}}
    sound["routes"] = {"faq": {"live": {"words": 1.0}}}
    route = planned(sound).routes["faq"]

    assert (None, None) == (route.embedder, route.dimension)


def test_a_mandatory_filter_is_the_query_s(sound: dict[str, Any], planned: Planned) -> None:
    """
    Each of the four comes to its noun.
    """
    sound["routes"]["faq"] |= {
        "filter": [
            {"term": {"year": 2024}}, {"terms": {"course": ["a", "b"]}},
            {"range": {"year": {"gte": 2020, "lt": 2030}}}, {"exists": {"field": "course"}},
        ],
        "filterable": ["course"],
    }  # fmt: skip
    route = planned(sound).routes["faq"]

    assert (
        Terms("year", (2024,)),
        Terms("course", ("a", "b")),
        Range("year", gte=2020, lt=2030),
        Exists("course"),
    ) == route.filters
    assert ("course",) == route.filterable


def test_filters_are_checked_against_the_index(sound: dict[str, Any], problems: Problems) -> None:
    """
    A mandatory filter on a field that isn't there would let nothing through.
    """
    sound["routes"]["faq"] |= {
        "filter": [
            {"term": {"coarse": "x"}},
            {"terms": {"year": ["x"]}},
            {"range": {"year": {"lt": "x"}}},
            {"exists": {"field": "yaer"}},
        ],
        "filterable": ["course", "colour"],
    }
    found = problems(sound)

    assert [
        "routes.faq.filter.0",
        "routes.faq.filter.1",
        "routes.faq.filter.2",
        "routes.faq.filter.3",
        "routes.faq.filterable.1",
    ] == [line.partition(":")[0] for line in found]
    assert "did you mean course?" in found[0]


def test_a_route_is_judged_beside_the_mistakes_of_its_parts(
    sound: dict[str, Any], problems: Problems
) -> None:
    """
    Its fields and its primary leg; not values, whose field's type is a guess.
    """
    sound["backends"]["main"]["indices"]["faq"]["fields"]["year"] = {"type": "integer"}
    sound["legs"]["bm25"]["window"] = "9"
    sound["pipelines"]["near"]["fusion"] = {"kind": "rff"}
    sound["routes"]["faq"] |= {
        "filter": [{"term": {"year": 2024}}],
        "filterable": ["colour"],
        "primary": "bm52",
        "deadline_ms": "800",
    }

    assert [
        "routes.faq.deadline_ms",
        "backends.main.indices.faq.fields.year.type",
        "legs.bm25.window",
        "pipelines.near.fusion.kind",
        "routes.faq.primary",
        "routes.faq.filterable.0",
    ] == [line.partition(":")[0] for line in problems(sound)]


def test_nothing_is_said_of_fields_that_were_lost(
    sound: dict[str, Any], problems: Problems
) -> None:
    """
    The field may have been the one, and a pipeline that isn't there may have the leg.
    """
    sound["backends"]["main"]["indices"]["faq"]["fields"]["year"] = 3
    sound["pipelines"]["near"] = 3
    sound["routes"]["faq"] |= {"filterable": ["year"], "primary": "bm25"}

    assert ["pipelines.near", "backends.main.indices.faq.fields.year"] == [
        line.partition(":")[0] for line in problems(sound)
    ]


def test_what_follows_from_a_broken_pipeline_is_no_second_mistake(
    sound: dict[str, Any], problems: Problems
) -> None:
    """
    One mistake is one line.
    """
    sound["pipelines"]["near"]["fusion"] = {"kind": "rff"}

    assert 1 == len(problems(sound))
