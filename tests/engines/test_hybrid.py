"""OpenSearch's `hybrid` query: its pitfalls, and that our copies of its fusions are exact."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

import pytest

from proxy.fusion import Dialect, LegTable, OpenSearchNormalization, OpenSearchRRF, fuse_all
from proxy.fusion.combinations import Combination
from proxy.model import RankedList
from tests.engines.cluster import Engine, Reply

pytestmark = pytest.mark.engines("opensearch-2")

DOCS = [f"d{number}" for number in range(20)]
Legs = list[dict[str, float]]
TWO: Legs = [{"d0": 3.0, "d1": 1.0}, {"d2": 2.0, "d1": 1.0}]
WHOLE: dict[str, Any] = {"normalization-processor": {}}
EXACT = 2e-6


@pytest.fixture
def ask(engine: Engine, new_index: Callable[..., str]) -> Callable[..., Reply]:
    """`ask(legs, processor)`: a hybrid search whose legs have exactly these scores."""
    index = new_index("hybrid", {}, documents=[{"_id": doc} for doc in DOCS])

    def asked(legs: Legs, processor: dict[str, Any] | None) -> Reply:
        body: dict[str, Any] = {
            "size": len(DOCS),
            "query": {"hybrid": {"queries": [scored(leg) for leg in legs]}},
        }
        if processor is not None:
            body["search_pipeline"] = {"phase_results_processors": [processor]}
        return engine.ask("POST", f"/{index}/_search", body)

    return asked


def scored(leg: Mapping[str, float]) -> dict[str, Any]:
    """A query that finds these documents with these scores."""
    return {
        "bool": {
            "should": [
                {"constant_score": {"filter": {"ids": {"values": [doc]}}, "boost": score}}
                for doc, score in leg.items()
            ]
        }
    }


def scores(reply: Reply) -> dict[str, float]:
    """What each document scores."""
    assert 200 == reply.status, reply.body
    return {hit["_id"]: hit["_score"] for hit in reply.json["hits"]["hits"]}


def why(reply: Reply) -> str:
    """The innermost reason of a refusal."""
    error = reply.json["error"]
    reason: str = error.get("caused_by", error)["reason"]
    return reason


def rrf(**combination: Any) -> dict[str, Any]:
    """The processor for reciprocal ranks."""
    return {"score-ranker-processor": {"combination": {"technique": "rrf", **combination}}}


def mean_of(weights: list[float]) -> dict[str, Any]:
    """The processor for a weighted mean."""
    parameters = {"weights": weights}
    combination = {"technique": "arithmetic_mean", "parameters": parameters}
    return {"normalization-processor": {"combination": combination}}


@pytest.mark.parametrize("constant", [0, 1, 10_001])
def test_a_rank_constant_in_the_wrong_place_is_ignored(
    ask: Callable[..., Reply], constant: int
) -> None:
    """
    Written under `combination` itself it is 60 without a word, even if it is out of range.
    """

    assert scores(ask(TWO, rrf())) == scores(ask(TWO, rrf(rank_constant=constant)))


def test_a_rank_constant_belongs_under_parameters(ask: Callable[..., Reply]) -> None:
    """
    There it counts.
    """
    found = scores(ask(TWO, rrf(parameters={"rank_constant": 1})))

    assert {
        "d0": pytest.approx(1 / 2, abs=EXACT),
        "d1": pytest.approx(1 / 3 + 1 / 3, abs=EXACT),
        "d2": pytest.approx(1 / 2, abs=EXACT),
    } == found


@pytest.mark.parametrize("constant", [0, 10_001])
def test_a_rank_constant_out_of_range_is_refused(ask: Callable[..., Reply], constant: int) -> None:
    """
    From 1 to 10000, and the refusal says so.
    """
    reply = ask(TWO, rrf(parameters={"rank_constant": constant}))

    assert 400 == reply.status
    assert "between 1 and 10000" in why(reply)


def test_reciprocal_ranks_have_no_weights_yet(ask: Callable[..., Reply]) -> None:
    """
    They came with 3.1.
    """
    reply = ask(TWO, rrf(parameters={"weights": [0.5, 0.5]}))

    assert 400 == reply.status
    assert "supported parameters are [rank_constant]" in why(reply)


def test_there_is_no_z_score_yet(ask: Callable[..., Reply]) -> None:
    """
    It came with 3.0.
    """
    reply = ask(TWO, {"normalization-processor": {"normalization": {"technique": "z_score"}}})

    assert (400, "provided normalization technique is not supported") == (reply.status, why(reply))


def test_weights_that_do_not_sum_to_one_are_refused_when_parsed(
    engine: Engine, ask: Callable[..., Reply]
) -> None:
    """
    So no pipeline can be stored with them.
    """
    pipeline = {"phase_results_processors": [mean_of([0.5, 0.6])]}

    stored = engine.ask("PUT", f"/_search/pipeline/{engine.prefix}sum", pipeline)

    assert 400 == stored.status
    assert "must be equal to 1.0" in why(stored)


def test_a_wrong_number_of_weights_is_refused_by_the_search_only(
    engine: Engine, ask: Callable[..., Reply]
) -> None:
    """
    The pipeline knows no query, so it is stored, and every search through it fails.
    """
    name = f"/_search/pipeline/{engine.prefix}three"
    processor = mean_of([0.2, 0.3, 0.5])

    stored = engine.ask("PUT", name, {"phase_results_processors": [processor]})
    engine.done("DELETE", name)

    assert 200 == stored.status
    reply = ask(TWO, processor)
    assert 400 == reply.status
    assert "number of weights [3] must match number of sub-queries [2]" in why(reply)


def test_a_document_that_scores_0_counts_but_is_not_collected(ask: Callable[..., Reply]) -> None:
    """
    The total is of what matches; a hit that no leg scores above 0 is not among them.
    """
    reply = ask([{"d0": 3.0, "d1": 1.0}, {"d2": 0.0}], WHOLE)

    assert {"d0", "d1"} == set(scores(reply))
    assert 3 == reply.json["hits"]["total"]["value"]


def test_without_a_pipeline_the_lists_come_raw(ask: Callable[..., Reply]) -> None:
    """
    Delimiters of enormous negative score stand among the hits: nobody may take it for an answer.
    """
    reply = ask(TWO, None)

    assert 200 == reply.status
    assert min(hit["_score"] for hit in reply.json["hits"]["hits"]) < -1e9


def test_the_golden_answers_are_this_engines(ask: Callable[..., Reply], data_dir: Path) -> None:
    """
    What was written down of OpenSearch 2.19.1 is what it answers: hits, scores, totals, refusals.
    """
    for case in json.loads((data_dir / "opensearch-hybrid-golden.json").read_text()):
        reply, expected = ask(case["legs"], case["processor"]), case["result"]
        if "status" in expected:
            assert (expected["status"], expected["reason"]) == (reply.status, why(reply))
            continue
        found = scores(reply)
        assert {doc: pytest.approx(score, abs=EXACT) for doc, score in expected["hits"]} == found, (
            case["name"]
        )
        assert expected["total"] == reply.json["hits"]["total"]["value"], case["name"]


def drawn(rng: random.Random, legs: int) -> Legs:
    """Lists of up to eight documents; few different scores, so that some are equal."""
    few = [rng.uniform(0.01, 20) for _ in range(6)]
    return [
        {doc: round(rng.choice(few), 3) for doc in rng.sample(DOCS, rng.randint(1, 8))}
        for _ in range(legs)
    ]


def table(legs: Legs) -> LegTable:
    """The same lists as our fusions take them; among equals the engine's order is that of DOCS."""
    lists = {}
    for number, leg in enumerate(legs):
        ranked = sorted(leg, key=lambda doc: (-leg[doc], DOCS.index(doc)))
        lists[f"leg{number}"] = RankedList(tuple(ranked), tuple(leg[doc] for doc in ranked))
    return LegTable.of(lists)


def dialects(rng: random.Random, legs: int) -> list[tuple[Dialect, dict[str, Any]]]:
    """Each of our copies beside the processor that it copies."""
    parts = [rng.randint(0, 5) for _ in range(legs - 1)]
    shares = [part / 20 for part in parts]
    shares.append(1 - sum(shares))
    weights = tuple((f"leg{number}", share) for number, share in enumerate(shares))
    constant = rng.choice([1, 20, 60, 10_000])
    copies: list[tuple[Dialect, dict[str, Any]]] = [
        (OpenSearchRRF(constant), rrf(parameters={"rank_constant": constant}))
    ]
    for normalization in ("min_max", "l2"):
        for combination in get_args(Combination):
            given = rng.random() < 0.5
            wanted: dict[str, Any] = {"technique": combination}
            if given:
                wanted["parameters"] = {"weights": shares}
            processor = {"normalization": {"technique": normalization}, "combination": wanted}
            copy = OpenSearchNormalization(normalization, combination, weights if given else ())
            copies.append((copy, {"normalization-processor": processor}))
    return copies


@pytest.mark.parametrize("seed", range(8))
def test_our_dialects_answer_as_the_engine_does(ask: Callable[..., Reply], seed: int) -> None:
    """
    For lists that nobody wrote down: the same documents with the same scores.
    """
    rng = random.Random(seed)
    legs = drawn(rng, rng.randint(2, 4))
    names = tuple(f"leg{number}" for number in range(len(legs)))
    for dialect, processor in dialects(rng, len(legs)):
        (fused,) = fuse_all(table(legs), [(dialect, names)], len(DOCS))
        found = scores(ask(legs, processor))

        assert {doc: pytest.approx(score, abs=EXACT) for doc, score in found.items()} == dict(
            zip(fused.ids, fused.scores, strict=True)
        ), (legs, dialect)
