"""Answers to what a backend returns."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.backends import Document, Found
from proxy.backends.cluster.reading import read_fetch, read_search, read_vectors
from proxy.backends.cluster.requests import Reach
from proxy.errors import BackendError, BackendTimeout
from proxy.model import RankedList

FAQ, COPIED = Reach("faq"), Reach("faq", id_field="id")
LOGS, LOGS_COPIED = Reach("logs-*", several=True), Reach("logs-*", several=True, id_field="id")


def found(*hits: dict[str, Any], failed: int = 0, late: bool = False, **more: Any) -> bytes:
    """What a search answers."""
    answer = {
        "took": 3,
        "timed_out": late,
        "_shards": {"total": 5, "successful": 5 - failed, "skipped": 0, "failed": failed},
        "hits": {"max_score": None, "hits": hits, **more.pop("hits", {})},
        **more,
    }
    return json.dumps(answer, separators=(",", ":")).encode()


def hit(own: str, score: object = 1.0, index: str = "faq", **more: object) -> dict[str, Any]:
    """One hit."""
    return {"_index": index, "_id": own, "_score": score, **more}


def copied(own: object, score: float = 1.0, index: str = "faq") -> dict[str, Any]:
    """One hit whose id is a doc value."""
    return {"_index": index, "_score": score, "fields": {"id": [own]}}


def mget(*docs: dict[str, Any]) -> bytes:
    """What an `_mget` answers."""
    return json.dumps({"docs": docs}, separators=(",", ":")).encode()


def doc(own: str, index: str = "faq", **more: object) -> dict[str, Any]:
    """One document, found if it has a source."""
    return {"_index": index, "_id": own, "found": "_source" in more, **more}


@pytest.mark.parametrize(
    ("reach", "hits", "ids"),
    [
        (FAQ, (hit("b", 2.0), hit("a", 1.0)), ("b", "a")),
        (COPIED, (copied("b", 2.0), copied("a", 1.0)), ("b", "a")),
        (COPIED, (copied(12, 2.0), copied(True, 1.0)), ("12", "True")),
        (LOGS, (hit("b", 2.0, "x"), hit("b", 1.0, "y")), ("x/b", "y/b")),
        (LOGS_COPIED, (copied("b", 2.0, "x"), copied("b", 1.0, "y")), ("x/b", "y/b")),
    ],
)
def test_documents_are_called_by_what_their_leg_reads(
    reach: Reach, hits: tuple[dict[str, Any], ...], ids: tuple[str, ...]
) -> None:
    """
    By `_id` or by its copy, with their index where there are several.
    """
    assert Found(RankedList(ids, (2.0, 1.0))) == read_search(found(*hits), reach)


def test_equal_scores_are_ordered_by_id() -> None:
    """
    Engines order them by shard and by age, so that each copy of a shard has an order of its own.
    """
    scores = (("d", 3.0), ("c", 2.0), ("a", 2.0), ("b", 2.0), ("f", 1.0), ("e", 1.0))

    ranked = read_search(found(*(hit(*each) for each in scores)), FAQ).ranked

    assert ("d", "a", "b", "c", "e", "f") == ranked.ids
    assert (3.0, 2.0, 2.0, 2.0, 1.0, 1.0) == ranked.scores


@settings(deadline=None)  # other processes share the cores
@given(scores=st.lists(st.integers(0, 3)), ids=st.permutations([str(each) for each in range(20)]))
def test_a_list_is_by_score_and_then_by_id(scores: list[int], ids: list[str]) -> None:
    """
    Whatever order equal scores came in.
    """
    pairs = list(zip(ids, sorted(scores, reverse=True), strict=False))

    ranked = read_search(found(*(hit(own, score) for own, score in pairs)), FAQ).ranked

    expected = sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
    assert expected == list(zip(ranked.ids, ranked.scores, strict=True))


def test_scores_that_are_no_numbers_stay() -> None:
    """
    Fusions drop their hits and degrade the leg for a reason of its own.
    """
    hits = (hit("a", "Infinity"), hit("d", 1.0), hit("c", None), hit("b", None))

    ranked = read_search(found(*hits), FAQ).ranked

    assert ("a", "d", "b", "c") == ranked.ids
    assert (float("inf"), 1.0, None, None) == ranked.scores


def test_a_score_that_is_a_word_is_no_answer() -> None:
    """
    Nobody could rank by it.
    """
    with pytest.raises(BackendError, match="a score is text"):
        read_search(found(hit("a", "high")), FAQ)


def test_a_document_found_twice_counts_once() -> None:
    """
    At its better place; two shards may hold an id that was routed by hand.
    """
    hits = (hit("a", 3.0), hit("b", 2.0), hit("a", 1.0), hit("c", 1.0))

    assert Found(RankedList(("a", "b", "c"), (3.0, 2.0, 1.0))) == read_search(found(*hits), FAQ)


@pytest.mark.parametrize("nameless", [{"_index": "faq", "_score": 2.5}, copied("", 2.5)])
@pytest.mark.parametrize("reach", [COPIED, LOGS_COPIED])
def test_a_document_without_a_copy_of_its_id_is_missed(
    reach: Reach, nameless: dict[str, Any]
) -> None:
    """
    The rest is served, and the leg is degraded: it is partial.
    """
    answer = read_search(found(copied("a", 3.0), nameless, copied("b", 2.0)), reach)

    assert ((3.0, 2.0), True) == (answer.ranked.scores, answer.partial)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (found(), Found(RankedList())),
        (found(failed=1), Found(RankedList(), partial=True)),
        (found(late=True), Found(RankedList(), partial=True)),
        (found(hits={"total": {"value": 7, "relation": "eq"}}), Found(RankedList(), 7)),
        (found(hits={"total": {"value": 7, "relation": "gte"}}), Found(RankedList(), 7, True)),
        (found(aggregations={"n": {"value": 1}}), Found(RankedList(), facets=b'{"n":{"value":1}}')),
    ],
)
def test_what_was_counted_comes_along(answer: bytes, expected: Found) -> None:
    """
    And whether it is all of it.
    """
    assert expected == read_search(answer, FAQ)


def test_documents_are_no_hits() -> None:
    """
    A search isn't answered by an `_mget`.
    """
    with pytest.raises(BackendError, match="documents, and no hits"):
        read_search(mget(), FAQ)


def test_documents_come_as_they_are_stored() -> None:
    """
    Those that are gone are left out; so is what an index held that is no more.
    """
    gone = {"_index": "old", "_id": "3", "error": {"type": "index_not_found_exception"}}
    answer = mget(doc("1", _source={"a": 1}), doc("2"), gone)

    assert {"1": Document(b'{"a":1}', None, "faq")} == read_fetch(answer, FAQ, 3)
    assert {"faq/1": Document(b'{"a":1}', None, "faq")} == read_fetch(answer, LOGS, 3)


def test_documents_may_come_without_sources() -> None:
    """
    Where none were wanted.
    """
    answer = mget({"_index": "faq", "_id": "1", "found": True})

    assert {"1": Document(None, None, "faq")} == read_fetch(answer, FAQ, 1)


def test_documents_that_were_searched_bring_their_marks() -> None:
    """
    Where something matched.
    """
    marked = hit("1", None, _source={"a": 1}, highlight={"a": ["<em>x</em>"]})
    answer = found(marked, hit("2", None))

    assert {
        "1": Document(b'{"a":1}', b'{"a":["<em>x</em>"]}', "faq"),
        "2": Document(None, None, "faq"),
    } == read_fetch(answer, FAQ, 3)


def test_a_failed_shard_makes_no_document_gone() -> None:
    """
    It may still be there, and who asked must hear so.
    """
    failed = {"_index": "faq", "_id": "1", "error": {"type": "no_shard_available_action_exception"}}

    with pytest.raises(BackendError, match="its shard failed"):
        read_fetch(mget(failed), FAQ, 1)
    with pytest.raises(BackendError, match="2 of 5 documents are missing"):
        read_fetch(found(hit("1"), hit("2"), hit("3"), failed=1), FAQ, 5)
    with pytest.raises(BackendTimeout, match="1 of 1 documents are missing"):
        read_fetch(found(late=True), FAQ, 1)

    assert 1 == len(read_fetch(found(hit("1"), failed=1), FAQ, 1))


@pytest.mark.parametrize(
    ("field", "source"),
    [
        ("v", {"v": [0.5, 1]}),
        ("a.v", {"a": {"v": [0.5, 1]}}),
        ("a.v", {"a.v": [0.5, 1]}),
        ("a.b.v", {"a": {"b.v": [0.5, 1]}}),
    ],
)
def test_vectors_are_found_at_their_path(field: str, source: dict[str, Any]) -> None:
    """
    A dot may be part of a key.
    """
    (vector,) = read_vectors(mget(doc("1", _source=source)), FAQ, field).values()

    assert ("float32", [0.5, 1.0]) == (str(vector.dtype), vector.tolist())


def test_what_has_no_vector_is_left_out() -> None:
    """
    Not every document needs one.
    """
    sources: list[dict[str, Any]] = [{}, {"v": None}, {"v": [1]}, {"a": 7}]
    answer = mget(doc("gone"), *(doc(str(n), _source=each) for n, each in enumerate(sources)))

    assert {"faq/2"} == read_vectors(answer, LOGS, "v").keys()
    assert {} == read_vectors(answer, FAQ, "a.v")
    assert {} == read_vectors(found(hit("1")), LOGS, "v")


def test_vectors_may_have_been_searched() -> None:
    """
    Where `_mget` might have read another index.
    """
    answer = found(hit("1", None, _source={"v": [1]}), hit("2", None, _source={}))

    assert {"faq/1"} == read_vectors(answer, LOGS, "v").keys()


@pytest.mark.parametrize("stored", ["AAAA", 7, [[1.0]], ["x"], [{}], [None], {"x": 1}, [1e300]])
def test_what_is_no_vector_is_an_error(stored: object) -> None:
    """
    The configuration names a field of another kind.
    """
    with pytest.raises(BackendError, match="'v' of a document is no list of numbers"):
        read_vectors(mget(doc("1", _source={"v": stored})), FAQ, "v")
