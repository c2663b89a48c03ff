"""SciFact on every engine: runs are compared by measure, as ids below the top differ."""

from __future__ import annotations

import json
from collections.abc import Sequence
from statistics import mean
from typing import Any

import pytest

from demo.collection import Claim
from evaluator.measures import score
from evaluator.notation import parse
from tests.engines.cluster import Engine
from tests.engines.scifact import Collection

NDCG = parse("nDCG@10")
Run = list[list[str]]


def lexical(claim: Claim) -> dict[str, Any]:
    """A claim as a search of words."""
    fields = ["title", "text"]
    return {"multi_match": {"query": claim.text, "fields": fields, "type": "best_fields"}}


def ask(engine: Engine, index: str, bodies: Sequence[dict[str, Any]]) -> Run:
    """The ids of many searches, fifty at a time."""
    run: Run = []
    for first in range(0, len(bodies), 50):
        lines = [json.dumps(line) for body in bodies[first : first + 50] for line in ({}, body)]
        reply = engine.ask("POST", f"/{index}/_msearch", ("\n".join(lines) + "\n").encode())
        for answer in reply.json["responses"]:
            assert 200 == answer["status"], answer
            run.append([hit["_id"] for hit in answer["hits"]["hits"]])
    return run


def ndcg(run: Run, claims: Sequence[Claim]) -> float:
    """The mean nDCG@10 of a run."""
    values = [
        score(NDCG, ranking, dict.fromkeys(claim.relevant, 1))
        for ranking, claim in zip(run, claims, strict=True)
    ]
    return mean(value for value in values if value is not None)


def test_words_are_worth_the_same_everywhere(
    engine: Engine, scifact: Collection, scifact_index: str
) -> None:
    """
    The scale of BM25 differs, what it is worth does not: to three digits.
    """
    bodies = [{"size": 10, "_source": False, "query": lexical(claim)} for claim in scifact.queries]

    assert pytest.approx(0.6705, abs=5e-4) == ndcg(
        ask(engine, scifact_index, bodies), scifact.queries
    )


def test_vectors_are_worth_the_same_everywhere(
    engine: Engine, scifact: Collection, scifact_index: str
) -> None:
    """
    An approximate search of 100 finds what an exact one does, quantised or not.
    """
    bodies = [
        {**engine.knn("embedding", claim.vector, 100), "_source": False, "size": 10}
        for claim in scifact.queries
    ]

    assert pytest.approx(0.6468, abs=3e-3) == ndcg(
        ask(engine, scifact_index, bodies), scifact.queries
    )


@pytest.mark.engines("opensearch-2")
@pytest.mark.parametrize(
    ("processor", "worth"),
    [
        pytest.param(
            {
                "normalization-processor": {
                    "normalization": {"technique": "min_max"},
                    "combination": {
                        "technique": "arithmetic_mean",
                        "parameters": {"weights": [0.5, 0.5]},
                    },
                }
            },
            0.7189,
            id="min_max",
        ),
        pytest.param(
            {"score-ranker-processor": {"combination": {"technique": "rrf"}}}, 0.7116, id="rrf"
        ),
    ],
)
def test_what_the_engine_fuses_is_worth(
    engine: Engine, scifact: Collection, scifact_index: str, processor: Any, worth: float
) -> None:
    """
    Its own fusions of both legs, 100 deep, are better than either leg.
    """
    run: Run = []
    for claim in scifact.queries:
        near = engine.knn("embedding", claim.vector, 100)["query"]
        body = {
            "size": 10,
            "query": {"hybrid": {"queries": [lexical(claim), near], "pagination_depth": 100}},
            "search_pipeline": {"phase_results_processors": [processor]},
        }
        run.append([id for id, _ in engine.hits(scifact_index, body)])

    assert pytest.approx(worth, abs=4e-3) == ndcg(run, scifact.queries)
