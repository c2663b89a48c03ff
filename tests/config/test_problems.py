"""Tests of config.problems."""

from __future__ import annotations

import pytest

from config.problems import LONGEST, nearest, problem, suggestion


def test_a_problem_says_where_what_and_the_choices() -> None:
    """
    The nearest choice comes first, then all of them in order.
    """
    line = problem("routes.faq.live", "is not declared", "rrf6", ["rrf60", "bm25"])

    assert (
        "routes.faq.live: 'rrf6' is not declared; did you mean rrf60? choices: bm25, rrf60" == line
    )


def test_an_unknown_key_is_compared_by_its_last_step() -> None:
    """
    Without a value the key itself is what may be misspelt.
    """

    assert "; did you mean fusion? choices: fusion, legs" == suggestion(
        "fusoin", "fusoin", ["legs", "fusion"]
    )
    assert "pipelines.a.fusoin: is no key; did you mean fusion? choices: fusion, legs" == problem(
        "pipelines.a.fusoin", "is no key", choices=["legs", "fusion"]
    )


def test_nothing_is_guessed_where_nothing_is_near() -> None:
    """
    A far-off word gets the choices only, and no choices are no sentence.
    """

    assert "a: 'zzz' is wrong; choices: bm25, dense" == problem(
        "a", "is wrong", "zzz", ["bm25", "dense"]
    )
    assert "a: 'zzz' is wrong" == problem("a", "is wrong", "zzz")


def test_the_nearest_choice_is_near() -> None:
    """
    Or there is none.
    """

    assert "text" == nearest("txt", ["keyword", "text"])
    assert None is nearest("zzz", ["keyword", "text"])
    assert None is nearest("txt", [])


def test_a_long_value_is_cut() -> None:
    """
    A problem stays a line.
    """

    assert len(problem("a", "", "x" * 10_000)) < LONGEST + 20


@pytest.mark.parametrize(
    "url", ["redis://:hunter2@redis:6379/0", "redis://me:hunter2@redis", "https://hunter2@os:9200"]
)
def test_passwords_are_left_out(url: str) -> None:
    """
    A problem ends up in logs, and a password must not.
    """

    assert "hunter2" not in problem("events.redis", "is wrong", url)
