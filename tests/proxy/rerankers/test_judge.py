"""What a judge is sent, and what of its answer is believed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.answer import DEGRADED_REASONS
from proxy.backends import Question
from proxy.errors import BackendError, BackendRefused, NotAsked
from proxy.rerankers import Shortlist
from proxy.rerankers.judge import BadScore, Judge, scores

asked: list[tuple[str, Sequence[str]]] = []


async def ask(query: str, documents: Sequence[str]) -> Sequence[tuple[int, float]]:
    """Judges a text by its length."""
    asked.append((query, documents))
    return [(at, float(len(text))) for at, text in enumerate(documents)]


@pytest.fixture
def judge() -> Judge:
    """A judge of four documents of ten characters at most."""
    asked.clear()
    return Judge(ask, 4, 250, ("title",), 10)


async def test_documents_are_judged_by_their_text(judge: Judge) -> None:
    """
    Cut to the model's budget, in the shortlist's order, and no more of them than `top`.
    """
    texts = {"d": "dog", "a": "a long ago text", "b": "b", "c": "cat", "e": "e"}
    shortlist = Shortlist(tuple("badce"), texts)

    found = await judge.score(Question(" which one? "), shortlist, {})

    assert {"b": 1.0, "a": 10.0, "d": 3.0, "c": 3.0} == found
    assert [("which one?", ("b", "a long ago", "dog", "cat"))] == asked
    assert judge.embedder is None


async def test_a_document_without_text_gets_no_score(judge: Judge) -> None:
    """
    Gone, or of blanks: models refuse empty texts, and the others are judged all the same.
    """
    shortlist = Shortlist(("a", "b", "c"), {"b": "bee", "c": " \n "})

    assert {"b": 3.0} == await judge.score(Question("q"), shortlist, {})


@pytest.mark.parametrize(
    "shortlist", [Shortlist(()), Shortlist(("a",)), Shortlist(("a",), {"a": ""})]
)
async def test_nothing_to_judge_is_not_asked(judge: Judge, shortlist: Shortlist) -> None:
    """
    Nor paid for.
    """
    assert {} == await judge.score(Question("q"), shortlist, {})
    assert [] == asked


async def test_without_a_text_of_the_query_nobody_is_asked(judge: Judge) -> None:
    """
    A request may come with a vector alone.
    """
    with pytest.raises(NotAsked) as caught:
        await judge.score(Question(" "), Shortlist(("a",), {"a": "b"}), {})

    assert "empty_query" == caught.value.reason
    assert [] == asked


async def test_what_is_no_unicode_stays_here(judge: Judge) -> None:
    """
    A query is refused; of a document, the character is replaced.
    """
    with pytest.raises(BackendRefused, match="Unicode"):
        await judge.score(Question("\ud800"), Shortlist(("a",), {"a": "b"}), {})
    await judge.score(Question("q"), Shortlist(("a",), {"a": "b\ud800"}), {})

    assert [("q", ("b?",))] == asked


@pytest.mark.parametrize(
    ("judged", "message"),
    [
        ([], "0 scores for 2 documents"),
        ([(0, 1.0)], "1 scores for 2 documents"),
        ([(0, 1.0), (0, 1.0)], "index 0 came twice"),
        ([(0, 1.0), (2, 1.0)], "index 2 of a list of 2"),
        ([(0, 1.0), (-1, 1.0)], "index -1 of a list of 2"),
        ([(0, 1.0), (1, 1.0), (1, 1.0)], "index 1 came twice"),
        ([(0, float("nan")), (1, 1.0)], "isn't finite"),
        ([(0, 1.0), (1, float("-inf"))], "isn't finite"),
    ],
)
def test_an_answer_in_doubt_is_not_believed(judged: list[tuple[int, float]], message: str) -> None:
    """
    Half a judgment would put a document behind others that were never compared with it.
    """
    with pytest.raises(BackendError, match=message):
        scores(["a", "b"], judged)


def test_a_score_that_is_no_number_has_its_own_reason() -> None:
    """
    It is counted apart from a service that is broken.
    """
    assert "bad_score" == BadScore.reason
    assert BadScore.reason in DEGRADED_REASONS


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=20), st.randoms())
def test_the_order_of_an_answer_does_not_matter(values: list[float], random: object) -> None:
    """
    Services answer best first, or as they like.
    """
    ids = [f"d{number}" for number in range(len(values))]
    judged = list(enumerate(values))
    random.shuffle(judged)  # type: ignore[attr-defined]  # a random.Random

    assert dict(zip(ids, values, strict=True)) == scores(ids, judged)
