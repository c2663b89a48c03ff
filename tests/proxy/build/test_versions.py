"""Tests of proxy.build.versions."""

from __future__ import annotations

from dataclasses import replace

from proxy.build.versions import leg_identity, version
from proxy.fusion.rrf import RRF
from proxy.fusion.weighted import Weighted
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical

BM25 = Lexical("main", "faq", ("title^3", "text"))
DENSE = Knn("main", "faq", "embedding", "minilm")
LEGS = {"bm25": b"1", "dense": b"2"}


def test_names_and_budgets_do_not_count() -> None:
    """
    The same question to a backend or embedder of another name, with more time, is the same.
    """
    identity = leg_identity(DENSE, "embedded", "onnx:a")

    assert identity == leg_identity(
        replace(DENSE, backend="other", embedder="renamed", timeout_ms=9), "embedded", "onnx:a"
    )


def test_everything_else_counts() -> None:
    """
    Each change of what is asked, of whom and with which model is another identity.
    """
    identities = {
        leg_identity(DENSE, "embedded", "onnx:a"),
        leg_identity(DENSE, "embedded", "onnx:b"),
        leg_identity(DENSE, "embedded", None),
        leg_identity(DENSE, "opensearch", "onnx:a"),
        leg_identity(replace(DENSE, window=50), "embedded", "onnx:a"),
        leg_identity(replace(DENSE, index="other"), "embedded", "onnx:a"),
        leg_identity(replace(DENSE, field="other"), "embedded", "onnx:a"),
        leg_identity(replace(DENSE, num_candidates=500), "embedded", "onnx:a"),
        leg_identity(BM25, "embedded", None),
        leg_identity(replace(BM25, fields=("title", "text")), "embedded", None),
        leg_identity(replace(BM25, tie_breaker=0.5), "embedded", None),
    }

    assert 11 == len(identities)


def test_renaming_legs_keeps_the_version() -> None:
    """
    Weights go with the leg, not with its name or its place in the file.
    """
    weighted = version(LEGS, RRF(weights=(("bm25", 2.0),)), None)

    assert weighted == version({"x": b"2", "y": b"1"}, RRF(weights=(("y", 2.0),)), None)
    assert weighted != version({"x": b"2", "y": b"1"}, RRF(weights=(("x", 2.0),)), None)


def test_a_weight_of_one_is_no_weight() -> None:
    """
    What isn't named weighs 1.
    """

    assert version(LEGS, RRF(), None) == version(LEGS, RRF(weights=(("bm25", 1.0),)), None)


def test_fusion_and_rerank_count() -> None:
    """
    Kind, every parameter, the model and how deep it judges.
    """
    versions = {
        version(LEGS, RRF(), None),
        version(LEGS, RRF(20), None),
        version(LEGS, Weighted(), None),
        version(LEGS, Weighted("l2"), None),
        version(LEGS, RRF(), ("embedding", 100, None)),
        version(LEGS, RRF(), ("embedding", 50, None)),
        version(LEGS, RRF(), ("embedding", 50, "onnx:a")),
        version({"bm25": b"1"}, None, None),
    }

    assert 8 == len(versions)


def test_a_version_is_the_same_in_every_process() -> None:
    """
    It stands in records and metrics for months: a golden value.
    """
    legs = {"bm25": leg_identity(BM25, "embedded", None)}

    assert "277464818ba9b030" == version(legs, None, None)
