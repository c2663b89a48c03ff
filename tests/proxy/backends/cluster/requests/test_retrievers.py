"""Pipelines as Elasticsearch's retrievers, each allowed by its published schema."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from proxy.backends import Question
from proxy.backends.cluster.requests import Engine, Reach, Request, search_body
from proxy.backends.cluster.requests.retrievers import deepest, retriever
from proxy.fusion import RRF, ElasticsearchLinear, ElasticsearchRRF, Fusion, OpenSearchRRF, Weighted
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.legs.neural import Neural
from proxy.legs.pushdown import EngineRerank, Pushdown
from proxy.legs.sparse import Sparse
from proxy.legs.template import Template
from proxy.model import Terms

ELASTIC = Engine("elasticsearch", (9, 2))
LEGS = (
    ("bm25", Lexical("main", "faq", ("title", "text"))),
    ("dense", Knn("main", "faq", "embedding", "minilm")),
    ("e5", Neural("main", "faq", "embedding", "e5")),
    ("elser", Sparse("main", "faq", "terms", "elser")),
    ("phrase", Template("main", "faq", '{"match_phrase": {"title": {"query": "{{query}}"}}}')),
)
ASKED = Question("hard disk", (Terms("open", (True,)),), np.array([0.5, 0.25], np.float32))
RERANK = EngineRerank("jina", "text", top=20)


def pushed(fusion: Fusion, rerank: EngineRerank | None = None, window: int = 100) -> Pushdown:
    """All legs, fused."""
    return Pushdown("main", "faq", LEGS, fusion, rerank, window, 300)


def sent(fusion: Fusion, rerank: EngineRerank | None = None) -> Request:
    """The search for all legs, fused."""
    return search_body(ELASTIC, Reach("faq"), pushed(fusion, rerank), ASKED, 300)


FUSIONS: list[Fusion] = [
    ElasticsearchRRF(),
    ElasticsearchRRF(rank_constant=1, weights=(("bm25", 2.5), ("dense", 0.0))),
    ElasticsearchLinear(),
    ElasticsearchLinear("minmax", (("bm25", "l2_norm"), ("dense", "none")), (("bm25", 3.0),)),
]


@pytest.mark.parametrize("rerank", [None, RERANK, EngineRerank("jina", "text", 20, min_score=0.5)])
@pytest.mark.parametrize("fusion", FUSIONS)
def test_every_pipeline_is_one_that_the_schema_allows(
    fusion: Fusion, rerank: EngineRerank | None, valid: Any
) -> None:
    """
    Each kind of leg, each fusion, with and without a reranker.
    """
    assert valid(sent(fusion, rerank))["retriever"]


def test_a_pipeline_of_ranks(valid: Any) -> None:
    """
    Its children are asked as deep as the pipeline, and each has the filters.
    """
    rrf = valid(sent(ElasticsearchRRF(rank_constant=20)))["retriever"]["rrf"]
    bm25, dense, e5, elser, phrase = rrf["retrievers"]

    assert (20, 100) == (rrf["rank_constant"], rrf["rank_window_size"])
    assert [100, 100] == [near["knn"]["k"] for near in (dense, e5)]
    filters = [each["standard"]["query"]["bool"]["filter"] for each in (bm25, elser, phrase)]
    filters += [each["knn"]["filter"] for each in (dense, e5)]
    assert [[{"term": {"open": {"value": True}}}]] * 5 == filters


def test_weights_stand_beside_children() -> None:
    """
    A leg that has none weighs 1; where all weigh 1, an older version can be asked as well.
    """
    plain: Any = retriever(ELASTIC, pushed(ElasticsearchRRF(weights=(("bm25", 1.0),))), ASKED)
    weighed: Any = retriever(ELASTIC, pushed(ElasticsearchRRF(weights=(("dense", 0.5),))), ASKED)

    assert [{"standard"}, {"knn"}, {"knn"}, {"standard"}, {"standard"}] == [
        child.keys() for child in plain["rrf"]["retrievers"]
    ]
    assert [1.0, 0.5, 1.0, 1.0, 1.0] == [child["weight"] for child in weighed["rrf"]["retrievers"]]


def test_a_pipeline_of_scores() -> None:
    """
    Each child has its weight and its normalizer, or the default.
    """
    fusion = ElasticsearchLinear("minmax", (("dense", "none"),), (("bm25", 3.0),))
    linear: Any = retriever(ELASTIC, pushed(fusion), ASKED)["linear"]

    assert [(3.0, "minmax"), (1.0, "none")] == [
        (child["weight"], child["normalizer"]) for child in linear["retrievers"][:2]
    ]
    assert 100 == linear["rank_window_size"]


def test_a_reranker_reads_the_text_and_drops_what_is_beyond_its_top(valid: Any) -> None:
    """
    Its window is never above that of what it reranks, nor the answer larger than its window.
    """
    body = valid(sent(ElasticsearchRRF(), RERANK))
    outer = body["retriever"]["text_similarity_reranker"]

    assert ("jina", "text", "hard disk") == (
        outer["inference_id"], outer["field"], outer["inference_text"],
    )  # fmt: skip
    assert (20, 20, 100) == (
        body["size"],
        outer["rank_window_size"],
        outer["retriever"]["rrf"]["rank_window_size"],
    )
    assert 10 == deepest(pushed(ElasticsearchRRF(), RERANK, window=10))


def test_compound_retrievers_refuse_to_be_told_of_partial_results() -> None:
    """
    If a child fails, so does the search, whatever is said.
    """
    assert "allow_partial_search_results" not in sent(ElasticsearchRRF()).params


@pytest.mark.parametrize("fusion", [RRF(), Weighted(), OpenSearchRRF()])
def test_other_fusions_are_no_retrievers(fusion: Fusion) -> None:
    """
    The error names those that are.
    """
    with pytest.raises(ValueError, match=r"is no retriever; choices: es_linear, es_rrf"):
        retriever(ELASTIC, pushed(fusion), ASKED)
