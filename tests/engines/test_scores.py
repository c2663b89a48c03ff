"""What the engines' scores are, and how far they agree."""

from __future__ import annotations

from collections.abc import Callable
from math import log

import pytest

from tests.engines.cluster import Engine, Vector

FOXES = [
    {"_id": "runs", "text": "fox runs fast", "embedding": [1.0, 0.0]},
    {"_id": "two", "text": "a fox and a fox", "embedding": [0.6, 0.8]},
    {"_id": "back", "text": "dog", "embedding": [-1.0, 0.0]},
    {"_id": "day", "text": "the lazy dog sleeps all day long", "embedding": [0.0, 1.0]},
]


@pytest.fixture
def foxes(new_index: Callable[..., str]) -> str:
    """Four short documents of 3, 5, 1 and 7 words."""
    return new_index("foxes", {"text": "text"}, {"embedding": Vector(2)}, FOXES)


def test_bm25_has_another_scale_since_lucene_10(engine: Engine, foxes: str) -> None:
    """
    OpenSearch 3 leaves the constant factor k1 + 1 out, so its scores are 2.2 times smaller. The
    order stays; what a threshold or an un-normalized weight meant does not.
    """
    idf = log(1 + (4 - 2 + 0.5) / (2 + 0.5))
    bm25 = {
        "two": idf * 2 / (2 + 1.2 * (0.25 + 0.75 * 5 / 4)),
        "runs": idf * 1 / (1 + 1.2 * (0.25 + 0.75 * 3 / 4)),
    }
    factor = 1.0 if engine.name == "opensearch-3" else 2.2

    found = engine.hits(foxes, {"query": {"match": {"text": "fox"}}})

    assert list(bm25) == [id for id, _ in found]
    assert pytest.approx(bm25, rel=1e-6) == {id: score / factor for id, score in found}


@pytest.mark.parametrize("whole", [False, True])
def test_knn_scores_half_of_one_plus_the_cosine(
    engine: Engine, new_index: Callable[..., str], whole: bool
) -> None:
    """
    On every engine: to six decimals, but to two where Elasticsearch quantises, as it does by
    itself.
    """
    near = 1e-6 if engine.kind == "opensearch" or whole else 1e-2
    index = new_index("near", {"text": "text"}, {"embedding": Vector(2, whole=whole)}, FOXES)

    found = engine.hits(index, engine.knn("embedding", [1.0, 0.0], 4))

    expected = {"runs": 1.0, "two": 0.8, "day": 0.5, "back": 0.0}
    assert list(expected) == [id for id, _ in found]
    assert pytest.approx(expected, abs=near) == dict(found)


def test_a_dot_product_has_a_scale_per_engine(
    engine: Engine, new_index: Callable[..., str]
) -> None:
    """
    Elasticsearch halves it as it halves a cosine; OpenSearch adds 1 and doesn't.
    """
    near = {"embedding": Vector(2, "dot_product")}
    index = new_index("dots", {"text": "text"}, near, FOXES)
    best = 2.0 if engine.kind == "opensearch" else 1.0

    found = dict(engine.hits(index, engine.knn("embedding", [1.0, 0.0], 4)))

    assert pytest.approx(best, abs=1e-2) == found["runs"]
    assert pytest.approx(best * 0.8, abs=1e-2) == found["two"]
