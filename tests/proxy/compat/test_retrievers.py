from __future__ import annotations

import pytest

from proxy.compat.queries import Searched
from proxy.compat.retrievers import knn, retriever
from proxy.errors import BadRequest
from proxy.model import Terms

FIELDS = ("color",)
RED, BLUE = {"term": {"color": "red"}}, {"term": {"color": "blue"}}
IS_RED, IS_BLUE = Terms("color", ("red",)), Terms("color", ("blue",))
WORDS = {"standard": {"query": {"match": {"text": "apple"}}}}
PEARS = {"standard": {"query": {"match": {"text": "pear"}}}}
NEAR = {"knn": {"field": "v", "query_vector": [1, 2], "k": 10, "num_candidates": 50}}
RED_WORDS = {"standard": {"query": {"match": {"text": "apple"}}, "filter": RED}}
RED_NEAR = {"knn": {"field": "v", "query_vector": [1, 2], "filter": [RED]}}
BUILDER = {"text_embedding": {"model_id": "m", "model_text": "apple"}}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (WORDS, Searched("apple")),
        (RED_WORDS, Searched("apple", (IS_RED,))),
        ({"knn": {"field": "v", "query_vector_builder": BUILDER}}, Searched("apple")),
        (NEAR, Searched()),
        ({"rrf": {"retrievers": [WORDS, NEAR], "rank_constant": 20}}, Searched("apple")),
        (
            {"rrf": {"retrievers": [{"retriever": WORDS, "weight": 2}, NEAR]}},
            Searched("apple"),
        ),
        (
            {"rrf": {"retrievers": [RED_WORDS, RED_NEAR], "filter": BLUE}},
            Searched("apple", (IS_RED, IS_BLUE)),
        ),
        (
            {"linear": {"retrievers": [
                {"retriever": WORDS, "weight": 1.5, "normalizer": "minmax"},
                {"retriever": NEAR},
            ], "rank_window_size": 50}},
            Searched("apple"),
        ),
        ({"rrf": {"query": "apple", "fields": ["text", "v"]}}, Searched("apple")),
        ({"linear": {"query": "apple", "normalizer": "l2_norm", "filter": RED}},
         Searched("apple", (IS_RED,))),
    ],
)  # fmt: skip
def test_a_retriever_is_a_text_and_filters(body, expected):
    """
    Its fusion and its vectors are the route's business.
    """

    assert expected == retriever(body, "retriever", FIELDS)


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"text_similarity_reranker": {}}, "retriever.text_similarity_reranker"),
        ({"rule": {}}, "retriever.rule"),
        ({"standard": {}}, "retriever.standard.query"),
        ({"standard": {"query": {"match": {"t": "a"}}, "min_score": 1}},
         "retriever.standard.min_score"),
        ({"standard": {"query": {"match": {"t": "a"}}, "sort": ["year"]}},
         "retriever.standard.sort"),
        ({"knn": {"field": "v", "inner_hits": {}}}, "retriever.knn.inner_hits"),
        ({"knn": {"field": "v", "query_vector_builder": {"lookup": {}}}},
         "retriever.knn.query_vector_builder.lookup"),
        ({"rrf": {"retrievers": [WORDS, PEARS]}}, "retriever.rrf.retrievers[1]"),
        ({"rrf": {"retrievers": [RED_WORDS, NEAR]}}, "retriever.rrf.retrievers[1]"),
        ({"rrf": {"retrievers": [WORDS], "query": "pear"}}, "retriever.rrf.retrievers[0]"),
        ({"rrf": {"retrievers": WORDS}}, "retriever.rrf.retrievers"),
        ({"rrf": {"retrievers": [WORDS] * 17}}, "retriever.rrf.retrievers"),
        ({"rrf": {"retrievers": [{"retriever": WORDS, "script": 1}]}},
         "retriever.rrf.retrievers[0].script"),
        ({"rrf": {"normalizer": "minmax"}}, "retriever.rrf.normalizer"),
    ],
)  # fmt: skip
def test_what_is_no_retriever(body, path):
    """
    Another text, another set of documents, or a stage that isn't ours to run.
    """
    with pytest.raises(BadRequest) as caught:
        retriever(body, "retriever", FIELDS)

    assert path == caught.value.field


def test_knn_beside_a_query_keeps_its_filter():
    """
    Vectors are searched among the same documents.
    """

    assert Searched(None, (IS_RED,)) == knn({"field": "v", "filter": RED}, "knn", FIELDS)
