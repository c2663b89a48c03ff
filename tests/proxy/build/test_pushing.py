"""Tests of proxy.build.pushing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from config.loader import Loaded
from proxy.build import build
from proxy.legs.pushdown import EngineRerank, Pushdown
from proxy.plan import Pipeline
from tests.proxy.build.conftest import REGISTRIES

Load = Callable[[dict[str, Any]], Loaded]
Wrongs = Callable[[dict[str, Any]], list[str]]
KINDS = {"os_norm": "opensearch", "es_rrf": "elasticsearch"}


def made(loaded: Load, sections: dict[str, Any]) -> Pipeline:
    """The pipeline that the engine fuses."""
    return build(loaded(sections), REGISTRIES).pipelines["pushed"]


def test_it_becomes_one_leg_named_like_the_pipeline(
    clustered: dict[str, Any], loaded: Load
) -> None:
    """
    As deep as its shallowest leg, with the time of its slowest, and nothing left to fuse.
    """
    clustered["legs"]["words"]["timeout_ms"] = 700

    pipeline = made(loaded, clustered)

    ((name, leg),) = pipeline.legs
    assert isinstance(leg, Pushdown)
    assert ("pushed", None, 50, 700) == (name, pipeline.fusion, leg.window, leg.timeout_ms)
    assert ["near", "words"] == [inner for inner, _ in leg.legs]


def test_its_version_is_what_it_computes(clustered: dict[str, Any], loaded: Load) -> None:
    """
    Another fusion, window or who fuses is another pipeline; budgets and names are not.
    """
    before = made(loaded, clustered).version
    clustered["legs"]["words"]["timeout_ms"] = 700
    same = made(loaded, clustered).version
    clustered["legs"]["near"]["window"] = 60
    deeper = made(loaded, clustered).version
    clustered["pipelines"]["pushed"]["fused_by"] = "proxy"
    proxied = made(loaded, clustered).version

    assert before == same
    assert 3 == len({before, deeper, proxied})


def test_elasticsearch_may_rerank_too(clustered: dict[str, Any], loaded: Load) -> None:
    """
    By its own model, named in the pipeline.
    """
    clustered["backends"]["os"]["kind"] = "elasticsearch"
    clustered["pipelines"]["pushed"] |= {
        "fusion": {"kind": "es_rrf"}, "engine_rerank": {"inference_id": "r", "field": "title"},
    }  # fmt: skip

    ((_, leg),) = made(loaded, clustered).legs

    assert isinstance(leg, Pushdown)
    assert EngineRerank("r", "title", 100, None) == leg.rerank


@pytest.mark.parametrize(
    ("pipeline", "expected"),
    [
        (
            {"fusion": {"kind": "es_rrf"}},
            "pipelines.pushed.fusion.kind: 'es_rrf' is no fusion that opensearch computes; "
            "did you mean os_rrf? choices: os_norm, os_rrf",
        ),
        (
            {"fusion": {"kind": "rrf"}},
            "pipelines.pushed.fusion.kind: 'rrf' is no fusion that opensearch computes; "
            "did you mean os_rrf? choices: os_norm, os_rrf",
        ),
        (
            {"legs": ["words", "bm25"]},
            "pipelines.pushed.legs: ask main/faq, os/x: the engine fuses what one index of one "
            "backend finds",
        ),
        (
            {"legs": ["bm25", "dense"]},
            "pipelines.pushed.fused_by: can't be the engine: a backend of kind 'embedded' fuses "
            "nothing; choices: proxy",
        ),
        (
            {"engine_rerank": {"inference_id": "r", "field": "title"}},
            "pipelines.pushed.engine_rerank: is Elasticsearch's, and opensearch has none",
        ),
        (
            {"fused_by": "proxy", "engine_rerank": {"inference_id": "r", "field": "title"}},
            "pipelines.pushed.engine_rerank: is only for pipelines with `fused_by: engine`; "
            "`rerank` is the proxy's",
        ),
    ],
)
def test_what_no_engine_can_do_is_refused(
    clustered: dict[str, Any], wrongs: Wrongs, pipeline: dict[str, Any], expected: str
) -> None:
    """
    At start, with the choices.
    """
    clustered["pipelines"]["pushed"] |= pipeline

    assert expected in wrongs(clustered)


def test_one_request_carries_one_vector(clustered: dict[str, Any], wrongs: Wrongs) -> None:
    """
    Legs of two embedders can't be pushed down together.
    """
    clustered["embedders"] = {"one": {"kind": "far"}, "two": {"kind": "far", "model": "other"}}
    clustered["legs"]["near"]["embedder"] = "one"
    clustered["legs"]["nearer"] = clustered["legs"]["near"] | {"embedder": "two"}
    clustered["pipelines"]["pushed"]["legs"] = ["words", "near", "nearer"]
    clustered["routes"]["other"]["third_party"] = ["one", "two"]

    assert ["pipelines.pushed.legs: have two embedders: one request carries one vector"] == wrongs(
        clustered
    )
