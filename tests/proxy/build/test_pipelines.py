"""Tests of proxy.build.pipelines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxy.fusion.rrf import RRF
from proxy.plan import Plan

Planned = Callable[[dict[str, Any]], Plan]
Problems = Callable[[dict[str, Any]], list[str]]


def test_a_pipeline_is_its_legs_in_name_order_with_its_fusion(
    sound: dict[str, Any], planned: Planned
) -> None:
    """
    The order in the file does not matter.
    """
    made = planned(sound).pipelines["rrf"]

    assert ["bm25", "dense", "text"] == [name for name, _ in made.legs]
    assert RRF(weights=(("bm25", 2.0),)) == made.fusion


def test_several_legs_need_a_fusion_and_one_takes_none(
    sound: dict[str, Any], problems: Problems
) -> None:
    """
    Neither is guessed.
    """
    sound["pipelines"]["two"] = {"legs": ["bm25", "text"]}
    sound["pipelines"]["alone"]["fusion"] = {"kind": "rrf"}

    assert [
        "pipelines.alone.fusion: has nothing to fuse: there is one leg",
        "pipelines.two.fusion: is missing: it has several legs; "
        "choices: es_linear, es_rrf, os_norm, os_rrf, rrf, weighted",
    ] == problems(sound)


def test_weights_are_for_the_pipeline_s_own_legs(sound: dict[str, Any], problems: Problems) -> None:
    """
    A weight for another leg would silently do nothing.
    """
    sound["pipelines"]["near"]["fusion"] = {"kind": "rrf", "weights": {"bm52": 2, "text": 1}}
    where = "pipelines.near.fusion.weights"

    assert [
        f"{where}: 'bm52' is no leg of this pipeline; did you mean bm25? choices: bm25, dense",
        f"{where}: 'text' is no leg of this pipeline; choices: bm25, dense",
    ] == problems(sound)


def test_a_pipeline_that_lost_a_key_is_judged_by_the_rest(
    sound: dict[str, Any], problems: Problems
) -> None:
    """
    What it says is checked, what it lacks is no second mistake.
    """
    sound["pipelines"]["near"] |= {"fusoin": {}, "fusion": {"kind": "rff"}}
    sound["pipelines"]["rrf"]["fusion"] = 3

    assert [
        "pipelines.rrf.fusion",
        "pipelines.near.fusoin",
        "pipelines.near.fusion.kind",
    ] == [line.partition(":")[0] for line in problems(sound)]


def test_equal_pipelines_have_one_version_whatever_their_names(
    sound: dict[str, Any], planned: Planned
) -> None:
    """
    Renaming legs, their order in the file and their budgets change nothing.
    """
    legs = sound["legs"]
    legs |= {"a": legs["bm25"], "z": {**legs["dense"], "timeout_ms": 9}}
    again = {"legs": ["z", "a"], "fusion": {"kind": "rrf"}, "rerank": "near"}
    sound["pipelines"]["again"] = again
    versions = {name: made.version for name, made in planned(sound).pipelines.items()}

    assert versions["near"] == versions["again"]
    assert 3 == len(set(versions.values()))
