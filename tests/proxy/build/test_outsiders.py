"""Tests of proxy.build.outsiders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Wrongs = Callable[[dict[str, Any]], list[str]]
WHAT = "sends text to a model outside the house that isn't named"


@pytest.fixture
def far(sound: dict[str, Any]) -> dict[str, Any]:
    """Sections whose knn leg asks an embedder outside the house; all pipelines but one have it."""
    sound["embedders"] = {"far": {"kind": "far"}}
    sound["legs"]["dense"]["embedder"] = "far"
    return sound


def test_each_pipeline_that_reaches_one_unnamed_is_told(
    far: dict[str, Any], wrongs: Wrongs
) -> None:
    """
    Shadows included: a text that leaves the house has left it, whoever sent it.
    """

    assert [
        f"routes.faq.third_party: 'far' pipeline 'alone' {WHAT}",
        f"routes.faq.third_party: 'far' pipeline 'near' {WHAT}",
        f"routes.faq.third_party: 'far' pipeline 'rrf' {WHAT}",
    ] == wrongs(far)


def test_a_route_that_names_it_may_use_it(far: dict[str, Any], wrongs: Wrongs) -> None:
    """
    And no other route is opened by that.
    """
    far["routes"]["faq"]["third_party"] = ["far"]
    far["routes"]["other"] = {"live": {"alone": 1.0}}

    assert [f"routes.other.third_party: 'far' pipeline 'alone' {WHAT}"] == wrongs(far)


def test_what_is_named_must_be_a_model(far: dict[str, Any], wrongs: Wrongs) -> None:
    """
    A misspelt name would open nothing and close nothing.
    """
    far["routes"]["faq"]["third_party"] = ["far", "fra"]
    models = ", ".join(sorted({"far", *far["rerankers"]}))

    assert [
        f"routes.faq.third_party.1: 'fra' is not declared; did you mean far? choices: {models}"
    ] == [line for line in wrongs(far) if "fra" in line]
