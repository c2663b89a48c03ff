"""Pipelines as OpenSearch's `hybrid` query."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from proxy.backends import Question
from proxy.backends.cluster.requests import Engine
from proxy.backends.cluster.requests.hybrid import hybrid, processor
from proxy.errors import BackendRefused
from proxy.fusion import (
    RRF,
    ElasticsearchRRF,
    Fusion,
    OpenSearchNormalization,
    OpenSearchRRF,
    Weighted,
)
from proxy.fusion.os_bounds import LowerBound, UpperBound
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.legs.pushdown import EngineRerank, Pushdown
from proxy.model import Terms

OLD, NEW = Engine("opensearch", (2, 19)), Engine("opensearch", (3, 5))
LEGS = (
    ("bm25", Lexical("main", "faq", ("title",))),
    ("dense", Knn("main", "faq", "embedding", "minilm", window=50, num_candidates=50)),
)
ASKED = Question("disk", (Terms("open", (True,)),), np.array([0.5, 0.25], np.float32))
WEIGHTS = (("dense", 0.75), ("bm25", 0.25))


def pushed(fusion: Fusion, rerank: EngineRerank | None = None) -> Pushdown:
    """Both legs, fused."""
    return Pushdown("main", "faq", LEGS, fusion, rerank, 50, 300)


def normalized(normalization: dict[str, Any], combination: dict[str, Any]) -> dict[str, Any]:
    """A processor that makes a mean."""
    return {"normalization-processor": {
        "normalization": normalization, "combination": combination,
    }}  # fmt: skip


def ranked(**parameters: Any) -> dict[str, Any]:
    """A processor that sums reciprocal ranks."""
    combination = {"technique": "rrf", "parameters": parameters}
    return {"score-ranker-processor": {"combination": combination}}


MEAN = {"technique": "arithmetic_mean"}
LOWER = (("dense", LowerBound("clip", 0.5)), ("bm25", LowerBound()))
UPPER = (("dense", UpperBound("ignore")), ("bm25", UpperBound("apply", 9.5)))


@pytest.mark.parametrize(
    ("fusion", "expected"),
    [
        (OpenSearchNormalization(), normalized({"technique": "min_max"}, MEAN)),
        (OpenSearchNormalization("l2", "geometric_mean", WEIGHTS), normalized(
            {"technique": "l2"},
            {"technique": "geometric_mean", "parameters": {"weights": [0.25, 0.75]}},
        )),
        (OpenSearchNormalization("rrf", rank_constant=7), normalized(
            {"technique": "rrf", "parameters": {"rank_constant": 7}}, MEAN,
        )),
        (OpenSearchNormalization("z_score"), normalized({"technique": "z_score"}, MEAN)),
        (OpenSearchNormalization(lower_bounds=LOWER, upper_bounds=UPPER), normalized(
            {"technique": "min_max", "parameters": {
                "lower_bounds": [
                    {"mode": "apply", "min_score": 0.0}, {"mode": "clip", "min_score": 0.5},
                ],
                "upper_bounds": [
                    {"mode": "apply", "max_score": 9.5}, {"mode": "ignore", "max_score": 1.0},
                ],
            }},
            MEAN,
        )),
        (OpenSearchRRF(), ranked(rank_constant=60)),
        (OpenSearchRRF(20, WEIGHTS), ranked(rank_constant=20, weights=[0.25, 0.75])),
    ],
)  # fmt: skip
def test_each_fusion_is_a_processor(fusion: Fusion, expected: dict[str, Any]) -> None:
    """
    What is said of legs is listed in their order; a rank constant stands where it is read.
    """
    assert expected == processor(pushed(fusion))


def test_a_hybrid_query_asks_its_legs_as_deep_as_the_pipeline() -> None:
    """
    Each has the filters pushed in, and the processor comes in the same body.
    """
    body: Any = hybrid(OLD, pushed(OpenSearchRRF()), ASKED)
    bm25, dense = body["query"]["hybrid"]["queries"]

    assert 50 == body["query"]["hybrid"]["pagination_depth"]
    assert {"phase_results_processors": [ranked(rank_constant=60)]} == body["search_pipeline"]
    assert [{"term": {"open": {"value": True}}}] == bm25["bool"]["filter"]
    assert {"bool": {"filter": bm25["bool"]["filter"]}} == dense["knn"]["embedding"]["filter"]


def test_before_2_19_the_size_is_the_depth() -> None:
    """
    An unknown key would be refused.
    """
    body: Any = hybrid(Engine("opensearch", (2, 18)), pushed(OpenSearchNormalization()), ASKED)

    assert {"queries"} == body["query"]["hybrid"].keys()


@pytest.mark.parametrize(
    ("fusion", "said"),
    [
        (OpenSearchNormalization("z_score"), "normalization: z_score needs OpenSearch 3.0"),
        (OpenSearchNormalization(lower_bounds=LOWER), "lower_bounds: of min_max needs"),
        (OpenSearchRRF(60, WEIGHTS), "weights: of reciprocal ranks needs OpenSearch 3.1"),
    ],
)
def test_what_a_version_would_ignore_is_refused(fusion: Fusion, said: str) -> None:
    """
    2.19 answers as if there were no bounds, which nobody would notice.
    """
    with pytest.raises(BackendRefused, match=said):
        hybrid(OLD, pushed(fusion), ASKED)

    assert hybrid(NEW, pushed(fusion), ASKED)


@pytest.mark.parametrize("fusion", [RRF(), Weighted(), ElasticsearchRRF()])
def test_other_fusions_are_no_processors(fusion: Fusion) -> None:
    """
    The error names those that are.
    """
    with pytest.raises(ValueError, match=r"is no processor; choices: os_norm, os_rrf"):
        processor(pushed(fusion))


def test_opensearch_has_no_reranking_retriever() -> None:
    """
    Its own rerank processor sees but one page.
    """
    with pytest.raises(ValueError, match="rerank: is Elasticsearch's"):
        hybrid(NEW, pushed(OpenSearchRRF(), EngineRerank("jina", "text")), ASKED)
