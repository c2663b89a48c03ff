"""BM25 by tantivy against the formula worked out here, ties, totals and filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from pathlib import Path
from typing import Any

import pytest

from proxy.backends.embedded import columns, text_index
from proxy.backends.embedded.corpus import scan
from proxy.backends.embedded.fields import Field
from proxy.backends.embedded.progress import Progress
from proxy.backends.embedded.text_index import TextIndex
from proxy.legs.lexical import Lexical
from proxy.model import AllOf, AnyOf, Exists, Not, Range, Terms

TEXT = {"title": Field("text"), "text": Field("text")}
DOCUMENTS = [
    {"_id": "d", "title": "red fox", "text": "the quick red fox jumps over a red dog"},
    {"_id": "a", "title": "fox", "text": "a lazy dog"},
    {"_id": "c", "title": "blue bird", "text": "red fox red fox"},
    {"_id": "b", "title": "red", "text": "something else entirely, about nothing"},
]


@pytest.fixture
def index(write, tmp_path: Path):
    """Builds the index of some documents in their fields."""

    def built(documents: Sequence[Mapping[str, Any]], fields: Mapping[str, Field]) -> TextIndex:
        corpus = scan(write(documents), fields, Progress())
        folder = tmp_path / "text"
        (folder / "columns").mkdir(parents=True)
        held = columns.build(folder / "columns", corpus.documents(), fields)
        text_index.build(folder, corpus, fields, held, range(len(documents)))
        return TextIndex(folder, fields, held)

    return built


def bm25(documents: Sequence[Mapping[str, str]], field: str, query: str) -> list[float]:
    """Scores in order of ids: idf · 2.2 · tf / (tf + 1.2 · (.25 + .75 · dl / avgdl)), summed."""
    texts = [
        document[field].replace(",", "").split()
        for document in sorted(documents, key=lambda document: document["_id"])
    ]
    average = sum(map(len, texts)) / len(texts)
    scores = [0.0] * len(texts)
    for term in query.split():
        n = sum(term in text for text in texts)
        idf = log(1 + (len(texts) - n + 0.5) / (n + 0.5))
        for place, text in enumerate(texts):
            tf = text.count(term)
            scores[place] += idf * 2.2 * tf / (tf + 1.2 * (0.25 + 0.75 * len(text) / average))
    return scores


def ranking(scores: Sequence[float]) -> list[tuple[int, float]]:
    """What a search should bring: positive scores, best first, ties by ordinal."""
    found = [(ordinal, score) for ordinal, score in enumerate(scores) if score > 0]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))


@pytest.mark.parametrize(
    ("fields", "tie_breaker", "query"),
    [
        (("text",), 0.0, "red"),
        (("text",), 0.0, "red fox dog"),
        (("text",), 0.0, "red red fox"),
        (("title^3", "text"), 0.0, "red fox"),
        (("title", "text^1.5"), 0.3, "red fox dog"),
        (("title", "text"), 1.0, "fox bird absent"),
    ],
)
def test_scores_are_the_formulas(index, fields, tie_breaker: float, query: str) -> None:
    """
    The best field's boosted BM25 plus tie_breaker times the others'; a repeated term counts twice.
    """
    found = index(DOCUMENTS, TEXT).search(
        Lexical("b", "i", fields, tie_breaker=tie_breaker), query, ()
    )

    weights = {name: float(boost or 1) for name, _, boost in (f.partition("^") for f in fields)}
    each = [
        [weight * score for score in bm25(DOCUMENTS, name, query)]
        for name, weight in weights.items()
    ]
    expected = ranking([max(s) + tie_breaker * (sum(s) - max(s)) for s in zip(*each, strict=True)])
    assert [ordinal for ordinal, _ in expected] == found[0]
    assert pytest.approx([score for _, score in expected], rel=1e-5) == found[1]
    assert len(expected) == found[2]


def test_a_score_worked_out_by_hand(index) -> None:
    """
    One term, tf 2, dl 4, avgdl 21/4, n 2, N 4: ln 2 · 4.4 / (2 + 1.2 · (.25 + 3 / 5.25)).
    """
    documents = [
        {"_id": "a", "title": "x", "text": "red fox red fox"},
        {"_id": "b", "title": "x", "text": "red one two three four"},
        {"_id": "c", "title": "x", "text": "a b c d e f"},
        {"_id": "d", "title": "x", "text": "a b c d e f"},
    ]

    ordinals, scores, total = index(documents, TEXT).search(Lexical("b", "i", ("text",)), "red", ())

    assert ([0, 1], 2) == (ordinals, total)
    assert pytest.approx(1.021480, abs=1e-6) == scores[0]


def test_ties_are_broken_by_id_across_the_windows_edge(index) -> None:
    """
    Of 300 equal documents written in reverse order, the window holds those of the lowest ids.
    """
    documents = [{"_id": f"{i:03}", "title": "fox", "text": "red"} for i in reversed(range(300))]
    text = index(documents, TEXT)

    for window in (1, 10, 100, 299, 300, 500):
        ordinals, scores, total = text.search(Lexical("b", "i", ("title",), window), "fox", ())

        assert list(range(min(window, 300))) == ordinals
        assert 1 == len(set(scores))
        assert 300 == total


def test_equal_documents_with_equal_scores_in_a_crowd(index) -> None:
    """
    The same holds for a group of equals below better documents.
    """
    documents = [
        {"_id": f"{i:03}", "title": "fox" if i % 7 else "fox fox", "text": "red"}
        for i in reversed(range(200))
    ]

    ordinals, _, _ = index(documents, TEXT).search(Lexical("b", "i", ("title",), 50), "fox", ())

    doubles = [i for i in range(200) if i % 7 == 0]
    singles = [i for i in range(200) if i % 7]
    assert (doubles + singles)[:50] == ordinals


FILTERED = {
    "text": Field("text", "english"),
    "course": Field("keyword"),
    "year": Field("number", optional=True),
    "free": Field("boolean"),
    "dotted.name": Field("keyword", optional=True),
}
COURSES = [
    {"_id": "a", "text": "running shoes", "course": "ml", "year": 2024, "free": True},
    {"_id": "b", "text": "shoes", "course": ["ml", "de"], "year": 2024.5, "free": False},
    {"_id": "c", "text": "shoes", "course": "ML", "free": True, "dotted.name": "x\ny"},
    {"_id": "d", "text": "hats", "course": "de", "year": -1, "free": True},
]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ([Terms("course", ("ml",))], [0, 1]),
        ([Terms("course", ("ml", "ML"))], [0, 1, 2]),
        ([Terms("course", ("de",)), Terms("free", (False,))], [1]),
        ([Terms("course", ("m",))], []),
        ([Terms("course", ())], []),
        ([Terms("year", (2024,))], [0]),
        ([Terms("year", (2024.0, -1))], [0, 3]),
        ([Terms("year", (2**53,))], []),
        ([Terms("free", (True,))], [0, 2, 3]),
        ([Terms("text", ("shoe",))], [0, 1, 2]),
        ([Terms("text", ("shoes",))], []),
        ([Terms("dotted.name", ("x\ny",))], [2]),
        ([Terms("course", ("x\0",))], []),
        ([Range("year", gte=2024)], [0, 1]),
        ([Range("year", gt=2024)], [1]),
        ([Range("year", lte=2024)], [0, 3]),
        ([Range("year", lt=2024.0)], [3]),
        ([Range("year", gte=2024, lt=2024)], []),
        ([Range("year", gt=2024, lte=2024)], []),
        ([Range("year", gte=2024, lte=2024)], [0]),
        ([Range("year", gte=3, lte=2)], []),
        ([Range("year", gte=-1, gt=2024)], [1]),
        ([Range("year")], [0, 1, 3]),
        ([Range("course", gte="ml")], [0, 1]),
        ([Range("course", gt="ml")], []),
        ([Range("course", gte="MM", lt="ml")], [1, 3]),
        ([Range("course", gt="ML", lte="dd")], []),
        ([Range("course")], [0, 1, 2, 3]),
        ([Range("dotted.name", lte="zzz")], [2]),
        ([Exists("year")], [0, 1, 3]),
        ([Exists("dotted.name")], [2]),
        ([Exists("text")], [0, 1, 2, 3]),
        ([Not(Exists("year"))], [2]),
        ([Not(Terms("course", ("ml",)))], [2, 3]),
        ([AnyOf((Terms("free", (False,)), Range("year", lt=0)))], [1, 3]),
        ([AllOf((Terms("free", (True,)), Not(Terms("course", ("ml",)))))], [2, 3]),
        ([AnyOf(())], []),
        ([AllOf(())], [0, 1, 2, 3]),
        ([], [0, 1, 2, 3]),
    ],
)
def test_filters_keep_the_documents_that_hold_a_value(index, filters, expected) -> None:
    """
    Whole values, any of several, every filter; a text field is compared with its terms; one value
    of several must be within both bounds.
    """
    assert expected == index(COURSES, FILTERED).matching(filters).tolist()


def test_a_filter_changes_no_score(index) -> None:
    """
    What passes scores as without the filter, and the total counts what passes.
    """
    text, leg = index(COURSES, FILTERED), Lexical("b", "i", ("text",))

    free = dict(zip(*text.search(leg, "shoes running", ())[:2], strict=True))
    ordinals, scores, total = text.search(leg, "shoes running", [Terms("course", ("ml",))])

    assert ([0, 1], 2) == (ordinals, total)
    assert [free[0], free[1]] == scores


def test_matches_are_all_of_them_and_counted(index) -> None:
    """
    Without window or scores, with filters; of some documents those that pass.
    """
    text, leg = index(COURSES, FILTERED), Lexical("b", "i", ("text",), 1)
    free = [Terms("free", (True,))]

    assert [0, 2] == text.matches(leg, "shoes", free).tolist()
    assert 2 == text.count(leg, "shoes", free)
    assert [] == text.matches(leg, "?", free).tolist()
    assert 0 == text.count(leg, "?", free)
    assert [3] == text.matching(free, [1, 3]).tolist()


def test_of_many_documents_all_are_found(index) -> None:
    """
    More than are listed in one go, in order, and no other.
    """
    documents = [{"_id": f"{i:05}", "title": "x", "text": f"{i % 10}"} for i in range(17_000)]
    text, leg = index(documents, TEXT), Lexical("b", "i", ("text",))

    nine = text.matches(leg, "0 1 2 3 4 5 6 7 8 9", [Not(Terms("text", ("3",)))])

    assert list(range(17_000)) == text.matching([]).tolist()
    assert (
        [i for i in range(17_000) if i % 10 != 3]
        == text.matching([Not(Terms("text", ("3",)))]).tolist()
        == nine.tolist()
    )
    assert list(range(3, 17_000, 10)) == text.matches(leg, "3", ()).tolist()


def test_a_folder_without_an_index_is_refused(tmp_path: Path) -> None:
    """
    It raises ValueError, from which the cache concludes that it must build again.
    """
    with pytest.raises(ValueError, match=r".+"):
        TextIndex(tmp_path, TEXT, {})
