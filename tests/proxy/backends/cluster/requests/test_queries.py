"""Legs as clauses, in each engine's own syntax."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.backends import Question
from proxy.backends.cluster.requests import Engine, Reach, search_body
from proxy.backends.cluster.requests.filters import clause
from proxy.backends.cluster.requests.queries import asked, matching
from proxy.errors import NotAsked
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.legs.neural import Neural
from proxy.legs.pushdown import Inner
from proxy.legs.sparse import Sparse
from proxy.legs.template import Template
from proxy.model import Terms

ELASTIC, OPEN = Engine("elasticsearch", (9, 2)), Engine("opensearch", (2, 19))
BM25 = Lexical("main", "faq", ("title^3", "text"), tie_breaker=0.25)
DENSE = Knn("main", "faq", "embedding", "minilm", window=5, num_candidates=20)
NEURAL = Neural("main", "faq", "embedding", "e5", window=5, num_candidates=20)
ELSER = Sparse("main", "faq", "terms", "elser")
PHRASE = Template("main", "faq", '{"match_phrase": {"title": {"query": "{{query}}", "slop": 2}}}')
DRAFT = Terms("section", ("draft",))
VECTOR = np.array([0.5, 0.25], np.float32)
DRAFTS = Question("hard disk", (DRAFT,), VECTOR)

MULTI_MATCH = {"multi_match": {
    "query": "hard disk", "type": "best_fields", "fields": ["title^3", "text"], "tie_breaker": 0.25,
}}  # fmt: skip
NEAR = {"field": "embedding", "k": 5, "num_candidates": 20, "filter": [clause(DRAFT)]}
AROUND = {
    "k": 5,
    "filter": {"bool": {"filter": [clause(DRAFT)]}},
    "method_parameters": {"ef_search": 20},
}


@pytest.mark.parametrize(
    ("engine", "leg", "expected"),
    [
        (ELASTIC, BM25, {"query": {"bool": {"must": [MULTI_MATCH], "filter": [clause(DRAFT)]}}}),
        (OPEN, BM25, {"query": {"bool": {"must": [MULTI_MATCH], "filter": [clause(DRAFT)]}}}),
        (ELASTIC, DENSE, {"knn": {**NEAR, "query_vector": [0.5, 0.25]}}),
        (OPEN, DENSE, {"query": {"knn": {"embedding": {"vector": [0.5, 0.25], **AROUND}}}}),
        (ELASTIC, NEURAL, {"knn": {**NEAR, "query_vector_builder": {
            "text_embedding": {"model_id": "e5", "model_text": "hard disk"},
        }}}),
        (OPEN, NEURAL, {"query": {"neural": {"embedding": {
            "query_text": "hard disk", "model_id": "e5", **AROUND,
        }}}}),
    ],
)  # fmt: skip
def test_each_engine_is_asked_in_its_own_words(
    engine: Engine, leg: Inner, expected: dict[str, Any]
) -> None:
    """
    Filters are within what looks for neighbours: applied afterwards, they would leave too few.
    """
    assert expected == asked(engine, leg, DRAFTS, 5)


@pytest.mark.parametrize(
    ("engine", "expected"),
    [
        (ELASTIC, {"sparse_vector": {
            "field": "terms", "inference_id": "elser", "query": "hard disk",
        }}),
        (Engine("elasticsearch", (8, 14)), {"text_expansion": {
            "terms": {"model_text": "hard disk", "model_id": "elser"},
        }}),
        (OPEN, {"neural_sparse": {"terms": {"query_text": "hard disk", "model_id": "elser"}}}),
    ],
)  # fmt: skip
def test_sparse_legs_are_called_by_three_names(engine: Engine, expected: dict[str, Any]) -> None:
    """
    Elasticsearch renamed its own in 8.15.
    """
    assert expected == matching(engine, ELSER, "hard disk")


@pytest.mark.parametrize("leg", [BM25, DENSE, NEURAL])
def test_without_filters_nothing_is_filtered(leg: Inner) -> None:
    """
    No empty list of filters is sent.
    """
    for engine in (ELASTIC, OPEN):
        assert "filter" not in json.dumps(asked(engine, leg, Question("disk", (), VECTOR), 5))


def test_at_least_as_many_neighbours_are_examined_as_wanted() -> None:
    """
    A pipeline that is fused deeper than the leg alone asks for more than its `num_candidates`.
    """
    near: Any = asked(ELASTIC, DENSE, DRAFTS, 50)["knn"]
    around: Any = asked(OPEN, DENSE, DRAFTS, 50)["query"]

    assert (50, 50) == (near["k"], near["num_candidates"])
    assert {"ef_search": 50} == around["knn"]["embedding"]["method_parameters"]


def test_an_older_opensearch_is_not_asked_for_what_it_does_not_know() -> None:
    """
    `ef_search` came with 2.16; before, it was a setting of the index.
    """
    around: Any = asked(Engine("opensearch", (2, 15)), DENSE, DRAFTS, 5)["query"]

    assert {"vector", "k", "filter"} == around["knn"]["embedding"].keys()


def test_a_leg_without_its_vector_is_not_asked() -> None:
    """
    Nothing is sent, and the leg is degraded for that reason.
    """
    with pytest.raises(NotAsked, match="no vector to search 'embedding' with") as raised:
        asked(ELASTIC, DENSE, Question("disk"), 5)

    assert "no_vector" == raised.value.reason


TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@settings(deadline=None)  # other processes share the cores
@given(text=TEXTS)
@pytest.mark.parametrize("engine", [ELASTIC, OPEN])
@pytest.mark.parametrize("leg", [BM25, NEURAL, ELSER, PHRASE])
def test_no_text_is_anything_but_a_text(leg: Inner, engine: Engine, text: str) -> None:
    """
    Whatever a user writes, the body is JSON and differs in nothing but that text.
    """
    marked, body = (
        json.loads(search_body(engine, Reach("faq"), leg, Question(asking), 300).body)
        for asking in ("MARK", text)
    )

    assert replaced(marked, text) == body


def replaced(value: Any, text: str) -> Any:
    """The value with the text in place of the mark."""
    match value:
        case dict():
            return {key: replaced(item, text) for key, item in value.items()}
        case list():
            return [replaced(item, text) for item in value]
        case "MARK":
            return text
    return value


@pytest.mark.parametrize("leg", [BM25, NEURAL, ELSER, PHRASE])
def test_half_a_character_is_refused(leg: Inner) -> None:
    """
    What isn't Unicode can't be sent.
    """
    with pytest.raises(ValueError, match="surrogates"):
        search_body(ELASTIC, Reach("faq"), leg, Question("\udfff"), 300)
