"""The reranker by stored vectors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from proxy.backends import Question
from proxy.backends.embedded import Embedded
from proxy.backends.embedded.fields import Field, Index
from proxy.errors import BackendError, NotAsked
from proxy.legs.knn import Knn
from proxy.rerankers import Shortlist
from proxy.rerankers.embedding import Embedding
from tests.fakes import FakeBackend

NEAREST = Embedding("main", "faq", "embedding", "mini")
STORED = {"a": (0, 2), "b": (3, 0), "c": (-1, 0), "d": (1, 1), "zero": (0, 0)}


async def score(query: tuple[float, ...], ids: list[str], **more: object) -> dict[str, float]:
    backend = FakeBackend({}, stored=STORED, **more)
    question = Question("red fox", vector=np.float32(query))
    return dict(await NEAREST.score(question, Shortlist(tuple(ids)), {"main": backend}))


async def test_the_score_is_the_cosine_as_lucene_reports_it():
    """
    (1 + cos) / 2: 1 in the same direction, .5 at a right angle, 0 in the opposite one.
    """
    scores = await score((2, 0), ["a", "b", "c", "d"])

    expected = {"a": 0.5, "b": 1.0, "c": 0.0, "d": (1 + 0.5**0.5) / 2}
    assert expected == pytest.approx(scores, abs=1e-12)


async def test_it_is_dense_order_over_the_candidates(tmp_path: Path):
    """
    With a real engine: the knn leg's list, less what isn't a candidate, and its very scores.
    """
    vectors = np.random.default_rng(3).normal(size=(60, 8)).astype(np.float32)
    np.save(tmp_path / "faq.npy", vectors)
    lines = (json.dumps({"_id": f"d{at}", "text": "fox"}) for at in range(60))
    (tmp_path / "faq.jsonl").write_text("\n".join(lines))
    fields = (("text", Field("text")),)
    index = Index(tmp_path / "faq.jsonl", fields, tmp_path / "faq.npy")
    candidates = [f"d{at}" for at in range(0, 60, 3)]
    question = Question("fox", vector=vectors[7])

    async with Embedded((("faq", index),), tmp_path / "cache").open("main", "live") as engine:
        dense = await engine.search(Knn("main", "faq", "embedding"), question)
        scores = await NEAREST.score(question, Shortlist(tuple(candidates)), {"main": engine})

    order = sorted(scores, key=lambda doc: -scores[doc])
    expected = [(doc, s) for _, doc, s in dense.ranked.ranks() if doc in candidates]
    assert [doc for doc, _ in expected] == order
    assert [s for _, s in expected] == pytest.approx([scores[doc] for doc in order], abs=1e-6)


async def test_a_candidate_without_a_direction_is_not_judged():
    """
    No stored vector, or one of zeros.
    """
    assert ["b"] == list(await score((1, 0), ["zero", "b", "unknown"]))


async def test_nothing_is_judged_by_a_query_of_zeros():
    """
    It points nowhere.
    """
    assert {} == await score((0, 0), ["a", "b"])


async def test_no_candidate_has_a_vector():
    """
    Then nothing is judged.
    """
    assert {} == await score((1, 0), ["unknown"])


async def test_without_a_vector_of_the_query_it_is_not_asked():
    """
    The reason says what was missing.
    """
    with pytest.raises(NotAsked) as failure:
        await NEAREST.score(Question("red fox"), Shortlist(("a",)), {"main": FakeBackend({})})

    assert "no_vector" == failure.value.reason


async def test_vectors_of_another_length_are_the_backends_failure():
    """
    They degrade the stage, and aren't a bug of ours.
    """
    with pytest.raises(BackendError, match="don't fit"):
        await score((1, 0, 0), ["a"])


async def test_the_recipe_is_the_open_reranker():
    """
    It has nothing to open.
    """
    async with NEAREST.open("nearest", "live") as reranker:
        assert reranker is NEAREST
    assert [] == NEAREST.problems()


def test_it_says_what_it_reads():
    """
    As the knn leg over the same vectors, which a backend can check.
    """
    assert (Knn("main", "faq", "embedding", "mini"),) == NEAREST.reads


def test_its_identity_is_what_it_compares():
    """
    Neither host nor budget, but index and field.
    """
    same = Embedding("other", "faq", "embedding", "mini", timeout_ms=10)

    assert NEAREST.identity == same.identity
    assert NEAREST.identity != Embedding("main", "faq", "other").identity


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"top": 0}, "^top: 0 is not from 1 to 100"),
        ({"top": 101}, "^top: 101 is not from 1 to 100"),
        ({"timeout_ms": 0}, "^timeout_ms: 0 is not at least 1"),
    ],
)
def test_its_limits(options: dict[str, int], message: str):
    """
    Refused when it is made, naming field and range.
    """
    with pytest.raises(ValueError, match=message):
        Embedding("main", "faq", "embedding", **options)
