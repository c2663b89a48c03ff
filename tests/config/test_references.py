"""Tests of config.references."""

from __future__ import annotations

from typing import Any

import pytest

from config.references import keys, known, names, references, spans, variables
from config.schema import Evaluator, Events, Secrets, Settings

EMPTY: dict[str, Any] = {"backends": (), "legs": (), "pipelines": (), "routes": ()}


def test_names_are_those_of_the_document_sound_or_not() -> None:
    """
    An entry that is broken is declared all the same.
    """
    declared = names({"legs": {"bm25": 3}, "pipelines": [], "server": {"port": 1}})

    assert {"bm25"} == declared["legs"]
    assert frozenset() == declared["pipelines"] == declared["routes"]
    assert "server" not in declared


def test_every_reference_is_followed() -> None:
    """
    Legs and reranker of a pipeline, live and shadow pipelines of a route.
    """
    document: dict[str, Any] = {
        "legs": {"bm25": {}},
        "pipelines": {"a": {"legs": ["bm25", "bm52"], "rerank": "co", "fusoin": 1}},
        "routes": {"faq": {"live": {"a": 1, "b": 0}, "shadows": {"c": 0.1}}},
    }

    assert [
        "pipelines.a.legs.1: 'bm52' is not declared; did you mean bm25? choices: bm25",
        "pipelines.a.rerank: 'co' is not declared",
        "routes.faq.live: 'b' is not declared; choices: a",
        "routes.faq.shadows: 'c' is not declared; choices: a",
    ] == list(references(document, names(document)))


@pytest.mark.parametrize(
    ("live", "expected"),
    [
        ({"a": 0.5, "b": 0.4}, ["routes.faq.live: shares sum to 0.9, not 1"]),
        ({"a": 0.5, "b": 1}, ["routes.faq.live: shares sum to 1.5, not 1"]),
        ({f"p{n}": 0.1 for n in range(10)}, []),
        ({"a": 0.5, "b": "0.4"}, []),
        ({"a": True, "b": 0.5}, []),
        ({"a": 1.5}, []),
        ({}, []),
    ],
)
def test_live_shares_sum_to_one(live: dict[str, Any], expected: list[str]) -> None:
    """
    As floats do; where one is no share, that is the schema's problem alone.
    """
    document: dict[str, Any] = {
        "pipelines": {name: {} for name in live},
        "routes": {"faq": {"live": live}},
    }

    assert expected == list(references(document, names(document)))


def test_shapes_are_the_schema_s_problem() -> None:
    """
    What isn't what it should be is passed over here.
    """
    document: dict[str, Any] = {
        "pipelines": {"a": 3, "b": {"legs": "bm25"}, "c": {"legs": [4], "rerank": []}},
        "routes": {"faq": {"live": [], "shadows": None}, "two": None},
    }

    assert [] == list(references(document, names(document)))


def test_a_configuration_without_routes_serves_nothing() -> None:
    """
    That can't be meant.
    """

    assert ["routes: has no route, so nothing would be served"] == list(references({}, names({})))


def test_known_names_pass() -> None:
    """
    No problem, no line.
    """

    assert [] == list(known("a", "x", ["x", "y"]))


@pytest.mark.parametrize(("served", "settle", "fits"), [(61, 60, True), (60, 60, False)])
def test_what_is_served_is_looked_at_for_longer_than_it_takes_to_settle(
    served: float, settle: float, fits: bool
) -> None:
    """
    Otherwise no answer would ever be counted, and nothing would say so.
    """
    evaluator = Evaluator(served_window=float(served), settle=float(settle))
    told = list(spans(Settings(**EMPTY, evaluator=evaluator)))

    assert fits == (not told)
    assert all("'60 s' is not longer than settle (60 s)" in line for line in told)


def test_variables_are_looked_up_wherever_they_are_named() -> None:
    """
    In sections, in parts and in lists; unset and empty are the same.
    """
    document: dict[str, Any] = {
        "secrets": {"ids_env": ["NEW", "OLD"], "keys_env": None},
        "backends": {"main": {"password_env": "OS_PASSWORD", "hosts": ["x_env"]}},
        "rerankers": {"co": {"api_key_env": "EMPTY"}},
    }

    assert [
        "secrets.ids_env: 'OLD' is not set in the environment",
        "backends.main.password_env: 'OS_PASSWORD' is not set in the environment",
        "rerankers.co.api_key_env: 'EMPTY' is not set in the environment",
    ] == list(variables(document, {"NEW": "x", "EMPTY": ""}))


def test_keys_must_be_named_unless_redis_is_private() -> None:
    """
    Several processes need the same keys, and generated ones are on one machine.
    """
    shared = Settings(**EMPTY, events=Events(redis="redis://redis"))
    named = Settings(**EMPTY, events=shared.events, secrets=Secrets(ids_env=("A",), keys_env="B"))

    assert [] == list(keys(Settings(**EMPTY), {}))
    assert [] == list(keys(named, {"A": "a" * 16, "B": "b" * 16}))
    assert ["secrets.ids_env", "secrets.keys_env"] == [
        line.partition(":")[0] for line in keys(shared, {})
    ]


def test_short_keys_are_refused_without_showing_them() -> None:
    """
    A key that can be guessed signs for everyone.
    """
    settings = Settings(**EMPTY, secrets=Secrets(ids_env=("A",), keys_env="B"))
    found = list(keys(settings, {"A": "hunter2", "B": "b" * 16}))

    assert ["secrets: 'A' holds less than 16 characters"] == found
