"""What pipelines are worth on each engine, and our copies of OpenSearch's fusions beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from pytrec_eval import RelevanceEvaluator

from bench import quality
from demo.collection import Claim
from proxy.backends import Question
from proxy.backends.cluster.requests import Engine as Asked
from proxy.backends.cluster.requests import Reach, search_body
from proxy.fusion import Dialect, LegTable, OpenSearchNormalization, OpenSearchRRF, fuse_all
from proxy.legs import Leg
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.model import MAX_DEPTH, RankedList
from tests.engines.cluster import Engine
from tests.engines.scifact import Collection

LEGS = ("bm25", "dense")
PAGE = 10
EXACT = 1e-5
MOVED = 0.0101
"""The share of claims whose first page may have another order than the engine's: one in 100."""
MEASURED = {"bm25": 0.6706, "dense": 0.6468, "rrf60": 0.7123, "min_max": 0.7200}
"""The embedded engine's, by `python -m bench.quality`."""
COPIES: dict[str, tuple[dict[str, object], Dialect]] = {
    "min_max": (
        {"kind": "os_norm", "normalization": "min_max", "weights": {"bm25": 0.3, "dense": 0.7}},
        OpenSearchNormalization(weights=(("bm25", 0.3), ("dense", 0.7))),
    ),
    "l2": (
        {"kind": "os_norm", "normalization": "l2", "combination": "geometric_mean"},
        OpenSearchNormalization(normalization="l2", combination="geometric_mean"),
    ),
    "rrf": ({"kind": "os_rrf", "rank_constant": 60}, OpenSearchRRF(60)),
}


@pytest.fixture
def say_table(say: Callable[[str], None], engine: Engine) -> Callable[..., None]:
    """Shows a row of the engine below the embedded one's."""

    def tell(title: str, found: dict[str, float], embedded: dict[str, float] = MEASURED) -> None:
        rows = {quality.EMBEDDED: embedded, f"{engine.name} ({engine.version})": found}
        say(f"{title}, nDCG@10\n{quality.table(rows)}")

    return tell


async def test_pipelines_are_worth_the_same_on_every_engine(
    engine: Engine,
    scifact: Collection,
    scifact_index: str,
    tmp_path: Path,
    say_table: Callable[..., None],
) -> None:
    """
    Words, vectors and both, as a configuration has them: the embedded engine's worth, within what
    quantised vectors change.
    """
    config = quality.configuration(quality.over_cluster(engine), scifact_index)

    found = quality.worth(await quality.runs(config, tmp_path, scifact.queries), scifact.queries)

    say_table("SciFact", found)
    assert pytest.approx(0.6705, abs=0.003) == found["bm25"]
    assert pytest.approx(0.6468, abs=0.005) == found["dense"]
    assert found["rrf60"] >= 0.71
    assert pytest.approx(MEASURED, abs=0.005) == found


@pytest.mark.engines("opensearch-2")
async def test_another_collection_is_worth_the_same(
    engine: Engine,
    collection: Callable[[str], Collection],
    data_dir: Path,
    tmp_path: Path,
    say_table: Callable[..., None],
) -> None:
    """
    Cranfield: graded judgments, trec_eval's own measure, an embedded engine over the same files.
    """
    cranfield = collection("cranfield")
    index = cranfield.load(engine, "cranfield")
    backends = (
        (quality.over_files(cranfield, "cranfield", tmp_path), "cranfield"),
        (quality.over_cluster(engine), index),
    )

    try:
        embedded, found = [
            graded(
                await quality.runs(
                    quality.configuration(backend, name), tmp_path, cranfield.queries
                ),
                cranfield.queries,
                data_dir / "cranfield" / "qrels.txt",
            )
            for backend, name in backends
        ]
    finally:
        engine.drop(index)

    say_table("Cranfield", found, embedded)
    assert pytest.approx(embedded, abs=0.003) == found
    assert pytest.approx(0.3767, abs=0.005) == found["dense"]
    assert found["rrf60"] > max(found["bm25"], found["dense"])


def graded(found: quality.Runs, claims: Sequence[Claim], qrels: Path) -> dict[str, float]:
    """trec_eval's nDCG@10 of each run."""
    judged: dict[str, dict[str, int]] = {}
    for line in qrels.read_text().splitlines():
        query, _, doc_id, grade = line.split()
        judged.setdefault(query, {})[doc_id] = int(grade)
    evaluator = RelevanceEvaluator(judged, {"ndcg_cut.10"})
    means = {}
    for name, lists in found.items():
        run = {
            claim.id: {doc_id: 1 / rank for rank, doc_id, _ in ranked.ranks()}
            for claim, ranked in zip(claims, lists, strict=True)
        }
        values = [each["ndcg_cut_10"] for each in evaluator.evaluate(run).values()]
        means[name] = sum(values) / len(values)
    return means


@dataclass(frozen=True, slots=True)
class Difference:
    """A claim whose first page isn't the engine's, both lists, and why."""

    claim: Claim
    ours: RankedList
    theirs: RankedList
    why: str


@pytest.mark.engines("opensearch-2")
async def test_copies_of_its_fusions_rank_as_it_does(
    engine: Engine,
    scifact: Collection,
    scifact_index: str,
    tmp_path: Path,
    say: Callable[[str], None],
) -> None:
    """
    Computed here of two legs or by OpenSearch in one request: the same first page for 99 of 100
    claims, the same scores, and of what differs it is known why.
    """
    fusions = {name: fusion for name, (fusion, _) in COPIES.items()}
    pipelines = {
        f"{name}-{who}": {"legs": LEGS, "fusion": fusion, "fused_by": who}
        for name, fusion in fusions.items()
        for who in ("proxy", "engine")
    }
    config = quality.configuration(quality.over_cluster(engine), scifact_index, pipelines)

    found = await quality.runs(config, tmp_path, scifact.queries)

    raw = asking(engine, scifact_index)
    for name, (_, dialect) in COPIES.items():
        pairs = zip(scifact.queries, found[f"{name}-proxy"], found[f"{name}-engine"], strict=True)
        differences = [
            Difference(claim, ours, theirs, explained(raw(claim), dialect, theirs))
            for claim, ours, theirs in pairs
            if ours.ids[:PAGE] != theirs.ids[:PAGE] or apart(ours, theirs) > EXACT
        ]
        moved = [each for each in differences if each.ours.ids[:PAGE] != each.theirs.ids[:PAGE]]
        say(
            f"{name}: of {len(scifact.queries)} first pages {len(differences)} have another score "
            f"than OpenSearch's, {len(moved)} of them another order; the legs' equals alone:\n"
            + "\n".join(told(each) for each in moved)
        )
        assert [] == [told(each) for each in differences if not each.why]
        assert len(moved) <= MOVED * len(scifact.queries)


def apart(ours: RankedList, theirs: RankedList) -> float:
    """By how much the scores of the first page differ at most, rank by rank."""
    pairs = zip(ours.scores[:PAGE], theirs.scores[:PAGE], strict=True)
    return max(abs((one or 0.0) - (other or 0.0)) for one, other in pairs)


def asking(engine: Engine, index: str) -> Callable[[Claim], dict[str, RankedList]]:
    """The legs of a claim in the engine's own order, equal scores as it has them."""
    legs: dict[str, Leg] = {
        "bm25": Lexical("main", index, ("title", "text")),
        "dense": Knn("main", index, "embedding"),
    }

    @cache
    def ask(claim: Claim) -> dict[str, RankedList]:
        question = Question(claim.text, vector=np.array(claim.vector, np.float32))
        lists = {}
        for name, leg in legs.items():
            request = search_body(Asked("opensearch", (2, 19)), Reach(index), leg, question, 60_000)
            hits = engine.done("POST", request.path, request.body)["hits"]["hits"]
            lists[name] = RankedList(
                tuple(hit["_id"] for hit in hits), tuple(hit["_score"] for hit in hits)
            )
        return lists

    return ask


def explained(lists: dict[str, RankedList], dialect: Dialect, theirs: RankedList) -> str:
    """Why the engine's page is another; empty where it isn't known.

    Of equal scores an engine takes first what it stores first, and we the smaller id. With the legs
    in the engine's order our fusion must give the engine's scores, and its order but for equals.
    """
    (fused,) = fuse_all(LegTable.of(lists), [(dialect, LEGS)], 2 * MAX_DEPTH)
    score = dict(zip(fused.ids, fused.scores, strict=True))
    for (_, doc_id, given), expected in zip(theirs.top(PAGE).ranks(), fused.scores, strict=False):
        own = score.get(doc_id)
        if own is None or given is None or expected is None:
            return ""
        if abs(own - given) > EXACT or abs(own - expected) > EXACT:
            return ""
    tied = [name for name, ranked in lists.items() if len(set(ranked.scores)) < len(ranked)]
    among = [f"equal scores within {name}" for name in tied]
    if len({f"{each:.6f}" for each in theirs.scores[: PAGE + 1]}) <= PAGE:
        among.append("equal fused scores")
    return ", ".join(among)


def told(difference: Difference) -> str:
    """A line about it."""
    ours, theirs = (
        ", ".join(f"{doc_id} {score:.6f}" for _, doc_id, score in ranked.top(PAGE).ranks())
        for ranked in (difference.ours, difference.theirs)
    )
    why = difference.why or "UNEXPLAINED"
    return f"  claim {difference.claim.id}: {why}\n    {ours}\n    {theirs}"
