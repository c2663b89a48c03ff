"""The open engine: legs, documents, vectors, and threads that neither leak nor mix."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proxy.backends import Document, Found, Question, Wanted
from proxy.backends.embedded import Embedded
from proxy.backends.embedded.engine import Engine
from proxy.backends.embedded.fields import Field, Index
from proxy.errors import BackendError, BackendRefused
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.model import (
    Counting,
    Exists,
    Highlight,
    HighlightField,
    Range,
    RankedList,
    Sources,
    Terms,
    TermsFacet,
)

BM25 = Lexical("local", "faq", ("text",))
DENSE = Knn("local", "faq", "embedding")
DOCUMENTS = [
    {"_id": "b", "text": "red fox", "n": 1},
    {"_id": "a", "text": "blue fox", "n": 2},
    {"_id": "c", "text": "green bird", "n": 1},
]
EAST = np.float32([1, 0])
ALL = Counting()


@pytest.fixture
def recipe(tmp_path: Path, write) -> Embedded:
    """Three documents, a text, a number and a vector each."""
    np.save(tmp_path / "v.npy", np.float16([[1, 0], [0, 1], [-1, 0]]))
    fields = (("text", Field("text")), ("n", Field("number")))
    plain = Index(write(DOCUMENTS), fields)
    indices = (("faq", replace(plain, vectors=tmp_path / "v.npy")), ("plain", plain))
    return Embedded(indices, tmp_path / "cache")


@pytest.fixture
async def engine(recipe: Embedded) -> AsyncIterator[Engine]:
    """It, open."""
    async with recipe.open("local", "live") as opened:
        yield opened


async def test_a_lexical_leg_counts_every_match(engine: Engine) -> None:
    """
    The window is 1, the total 2.
    """
    found = await engine.search(replace(BM25, window=1), Question("fox", counting=ALL))

    assert ("a",) == found.ranked.ids
    assert 2 == found.total


async def test_a_knn_leg_brings_the_nearest(engine: Engine) -> None:
    """
    Scores are (1 + cos) / 2; the total is what was found.
    """
    found = await engine.search(replace(DENSE, window=2), Question("", vector=EAST, counting=ALL))

    assert ("b", "a") == found.ranked.ids
    assert (1.0, 0.5) == found.ranked.scores
    assert 2 == found.total


async def test_filters_hold_for_both_legs(engine: Engine) -> None:
    """
    The same filter, before either window is cut.
    """
    ones = (Terms("n", (1,)),)

    lexical = await engine.search(replace(BM25, window=1), Question("fox bird", ones, counting=ALL))
    knn = await engine.search(replace(DENSE, window=1), Question("", ones, -EAST))

    assert {"b", "c"} > set(lexical.ranked.ids)
    assert 2 == lexical.total
    assert ("c",) == knn.ranked.ids


@pytest.mark.parametrize(
    ("leg", "question"),
    [
        (replace(BM25, index="nope"), Question("fox")),
        (replace(BM25, fields=("n",)), Question("fox")),
        (BM25, Question("fox", (Terms("nope", (1,)),))),
        (BM25, Question("", (Terms("n", ("1",)),))),
        (BM25, Question("\ud800")),
        (replace(DENSE, index="plain"), Question("", vector=EAST)),
        (replace(DENSE, field="nope"), Question("", vector=EAST)),
        (DENSE, Question("text alone")),
        (DENSE, Question("", vector=np.float32([1, 2, 3]))),
        (DENSE, Question("", (Terms("n", (True,)),), EAST)),
        (DENSE, Question("", (Range("n", gte="1"),), EAST)),
        (BM25, Question("fox", (Range("text", gte="a"),))),
        (BM25, Question("fox", counting=Counting(facets=(TermsFacet("f", "text"),)))),
        (DENSE, Question("", (), EAST, Counting(facets=(TermsFacet("f", "nope"),)))),
    ],
)
async def test_a_wrong_question_is_refused(engine: Engine, leg, question: Question) -> None:
    """
    As a value that the pipeline absorbs; the engine goes on answering.
    """
    await engine.search(DENSE, Question("", (Terms("n", (1,)),), EAST))

    with pytest.raises(BackendRefused):
        await engine.search(leg, question)

    assert 2 == (await engine.search(BM25, Question("fox", counting=ALL))).total


@pytest.mark.parametrize(
    ("upto", "expected"),
    [(0, (None, False)), (1, (1, True)), (2, (2, True)), (3, (3, False)), (4, (3, False))],
)
async def test_matches_are_counted_as_far_as_asked(
    engine: Engine, upto: int, expected: tuple[int | None, bool]
) -> None:
    """
    Beyond it a total says at least; 0 counts nothing, as no counting does.
    """
    question = Question("fox bird", vector=EAST, counting=Counting(upto))

    for leg in (BM25, replace(BM25, window=1), DENSE):
        found, counted = await engine.search(leg, question), await engine.count(leg, question)
        assert expected == (found.total, found.at_least)
        assert replace(found, ranked=RankedList()) == counted
    assert (await engine.search(BM25, Question("fox"))).total is None
    assert Found(RankedList()) == await engine.count(BM25, Question("fox"))


async def test_facets_are_of_what_matches(engine: Engine) -> None:
    """
    Of a lexical leg's matches whatever its window, of what a knn leg found; filters hold.
    """
    counting = Counting(facets=(TermsFacet("n", "n"),))
    fox = Question("fox", (Exists("n"),), counting=counting)
    east = Question("", vector=EAST, counting=counting)

    lexical = await engine.search(replace(BM25, window=1), fox)
    counted = await engine.count(BM25, fox)
    knn = await engine.search(replace(DENSE, window=1), east)

    assert [(1, 1), (2, 1)] == buckets(lexical) == buckets(counted)
    assert [(1, 1)] == buckets(knn)


def buckets(found: Found) -> list[tuple[Any, int]]:
    """The only facet's keys and counts."""
    (facet,) = json.loads(found.facets or b"").values()
    return [(bucket["key"], bucket["doc_count"]) for bucket in facet["buckets"]]


async def test_documents_come_by_id(engine: Engine) -> None:
    """
    As they stand in the corpus; what is gone is left out.
    """
    found = await engine.fetch("faq", ["b", "gone"], Wanted())

    assert {"b": Document(b'{"_id": "b", "text": "red fox", "n": 1}')} == found


async def test_of_documents_comes_what_is_wanted(engine: Engine) -> None:
    """
    A part of the source, highlights of the leg's text, and nothing that a filter keeps out.
    """
    asked = Highlight((HighlightField("*"),))
    wanted = Wanted(Sources(("n",)), (Terms("n", (1,)),), asked, BM25, "foxes red Fox")

    found = await engine.fetch("faq", ["a", "b", "c"], wanted)

    assert {
        "b": Document(b'{"n":1}', b'{"text":["<em>red</em> <em>fox</em>"]}'),
        "c": Document(b'{"n":1}'),
    } == found
    nothing = await engine.fetch("faq", ["a"], Wanted(Sources(())))
    assert {"a": Document(None)} == nothing
    with pytest.raises(BackendRefused):
        await engine.fetch("faq", ["a"], Wanted(filters=(Terms("nope", (1,)),)))


async def test_vectors_come_by_id(engine: Engine) -> None:
    """
    From the vector field, and from no other.
    """
    found = await engine.vectors("faq", "embedding", ["c", "gone"])

    assert {"c": [-1.0, 0.0]} == {i: vector.tolist() for i, vector in found.items()}
    for index, field in (("faq", "text"), ("plain", "embedding"), ("nope", "embedding")):
        with pytest.raises(BackendRefused):
            await engine.vectors(index, field, ["c"])


async def test_an_index_has_a_version(engine: Engine) -> None:
    """
    Sixteen hexadecimal digits, others for other content.
    """
    assert 16 == len(engine.index_version("faq"))
    assert engine.index_version("faq") != engine.index_version("plain")


async def test_callers_that_give_up_leave_the_engine_whole(engine: Engine) -> None:
    """
    Hundreds of abandoned searches: no thread more than configured, and the next is answered.
    """
    for _ in range(20):
        tasks = [asyncio.create_task(engine.search(BM25, Question("fox"))) for _ in range(25)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert {asyncio.CancelledError} == {type(end) for end in ended}

    assert 2 == (await engine.search(BM25, Question("fox", counting=ALL))).total
    assert 2 >= sum(thread.name.startswith("local-live") for thread in threading.enumerate())


async def test_a_flood_of_shadows_leaves_live_its_threads(recipe: Embedded) -> None:
    """
    Live is answered while thousands of shadow searches wait.
    """
    async with recipe.open("local", "live") as live, recipe.open("local", "shadow") as shadow:
        flood = [
            asyncio.create_task(shadow.search(BM25, Question("fox bird", counting=ALL)))
            for _ in range(3000)
        ]
        await asyncio.sleep(0)

        await live.search(BM25, Question("fox"))

        assert 1000 < sum(not task.done() for task in flood)
        assert {3} == {found.total for found in await asyncio.gather(*flood)}


async def test_a_closed_engine_says_so(recipe: Embedded) -> None:
    """
    As the backend's failure, which a pipeline absorbs.
    """
    async with recipe.open("local", "live") as engine:
        pass

    with pytest.raises(BackendError, match="closed"):
        await engine.search(BM25, Question("fox"))
