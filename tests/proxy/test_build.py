"""Tests of proxy.build: the parts' tests are beside it, in build/."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from config.errors import ConfigError
from config.loader import load
from proxy.build import SHIPPED, build
from proxy.plan import Plan

Planned = Callable[[dict[str, Any]], Plan]
Problems = Callable[[dict[str, Any]], list[str]]


def test_a_sound_configuration_is_a_plan(sound: dict[str, Any], planned: Planned) -> None:
    """
    Every part is there by its name, opened or not, used or not.
    """
    plan = planned(sound)

    assert (["main"], [], ["near"]) == (
        list(plan.backends),
        list(plan.embedders),
        list(plan.rerankers),
    )
    assert ["rrf", "near", "alone"] == list(plan.pipelines)
    assert ["faq"] == list(plan.routes)


def test_five_mistakes_of_parts_are_five_lines(sound: dict[str, Any], problems: Problems) -> None:
    """
    Also in parts that no route uses, and without a second line for what follows from the first.
    """
    sound["backends"]["other"] = {"kind": "opensaerch"}
    sound["legs"] |= {
        "bm25": {**sound["legs"]["bm25"], "fields": ["titel"]},
        "lost": {"kind": "knn", "backend": "mian", "index": "faq", "field": "embedding"},
        "shut": {**sound["legs"]["text"], "window": 0},
    }
    sound["pipelines"]["odd"] = {"legs": ["dense", "text"], "fusion": {"kind": "rff"}}

    assert [
        "backends.other.kind",
        "legs.shut.window",
        "legs.bm25.fields",
        "legs.lost.backend",
        "pipelines.odd.fusion.kind",
    ] == [line.partition(":")[0] for line in problems(sound)]


def test_eight_mistakes_anywhere_are_eight_lines(
    sound: dict[str, Any], problems: Problems, folder: Path
) -> None:
    """
    No mistake hides another, whichever part, file or section it is in.
    """
    (folder / "faq.jsonl").unlink()
    sound["server"] = {"port": "8180"}
    sound["backends"]["main"]["indices"]["faq"]["fields"]["title"]["type"] = "txt"
    sound["legs"]["text"]["fields"] = ["bdy"]
    sound["rerankers"]["near"]["field"] = "embeding"
    sound["pipelines"]["near"]["fusion"]["kind"] = "rff"
    sound["routes"]["faq"] |= {"live": {"alone": 0.25, "near": 0.65}, "filterable": ["corse"]}

    assert {
        "server.port",
        "routes.faq.live",
        "routes.faq.filterable.0",
        "backends.main.indices.faq.fields.title.type",
        "backends.main.indices.faq.corpus",
        "legs.text.fields",
        "rerankers.near.field",
        "pipelines.near.fusion.kind",
    } == {line.partition(":")[0] for line in problems(sound)}
    assert 8 == len(problems(sound))


def test_problems_of_the_file_and_of_its_parts_come_together(
    sound: dict[str, Any], problems: Problems
) -> None:
    """
    An entry that is broken is declared all the same, so what names it is no second mistake.
    """
    sound["server"] = {"port": "80"}
    sound["backends"]["broken"] = {"kin": "embedded"}
    sound["legs"]["over"] = {**sound["legs"]["text"], "backend": "broken"}
    sound["legs"]["dense"]["widnow"] = 3

    assert {"server.port", "backends.broken.kind", "legs.dense.widnow"} == {
        line.partition(":")[0] for line in problems(sound)
    }


def test_a_file_that_cannot_be_read_is_one_error(tmp_path: Path) -> None:
    """
    There is nothing else to say then.
    """
    with pytest.raises(ConfigError, match="No such file"):
        build(load(tmp_path / "none.yaml", {}))


def test_every_kind_that_ships_can_be_named() -> None:
    """
    The registries are what `kind` may be.
    """

    assert {"lexical", "knn", "template", "sparse", "neural"} == SHIPPED.legs.keys()
    assert {
        "rrf", "weighted", "es_rrf", "es_linear", "os_norm", "os_rrf",
    } == SHIPPED.fusions.keys()  # fmt: skip
    assert {"embedded"} <= SHIPPED.backends.keys()
    assert {"onnx"} <= SHIPPED.embedders.keys()
    assert {"embedding"} <= SHIPPED.rerankers.keys()
