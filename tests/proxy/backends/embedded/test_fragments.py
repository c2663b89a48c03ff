"""Fragments: passages around matches, and the laws that any text's fragments keep."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.backends.embedded.analyzers import placed
from proxy.backends.embedded.fragments import Match, fragments

PROSE = "The red fox ran. It saw a dog! The dog slept on. Nobody woke the fox after that."


def cut(text: str, terms: str, size: int) -> list[str]:
    """The marked fragments of `text` around words that are among `terms`."""
    wanted = terms.split()
    found = [Match(*word) for word in placed("standard", text) if word[0] in wanted]
    return [fragment.marked("[", "]") for fragment in fragments(text, found, size)]


@pytest.mark.parametrize(
    ("terms", "size", "expected"),
    [
        ("fox", 20, ["The red [fox] ran.", "Nobody woke the [fox] after"]),
        ("fox", 32, ["The red [fox] ran. It saw a dog!", "Nobody woke the [fox] after that."]),
        ("dog", 40, ["It saw a [dog]! The [dog] slept on."]),
        ("that", 12, ["[that]."]),
        ("red ran", 5, ["[red] fox", "[ran]."]),
        ("fox", 1000, [PROSE.replace("fox", "[fox]")]),
        ("the nobody", 0, [
            "[The] red fox ran. It saw a dog! [The] dog slept on. [Nobody] woke [the] fox "
            "after that."
        ]),
        ("absent", 20, []),
    ],
)  # fmt: skip
def test_passages_are_sentences_where_they_fit(terms: str, size: int, expected: list[str]) -> None:
    """
    From the sentence of the first match to the last end of one within the size; a sentence that is
    longer is cut between words; 0 is the whole text.
    """
    assert expected == cut(PROSE, terms, size)


def test_a_word_without_end_is_cut() -> None:
    """
    A text without spaces makes no fragment of its own length.
    """
    (only,) = cut("fox" + "," * 10_000, "fox", 100)

    assert len(only) < 200


@pytest.mark.parametrize("text", [". " * 200_000, "." * 400_000, ".\n " * 130_000, "a. " * 130_000])
def test_no_text_takes_long(text: str) -> None:
    """
    Dots as in a table of contents, and matches everywhere.
    """
    began = time.perf_counter()

    cut(f"{text} fox", "fox a", 100)

    assert time.perf_counter() - began < 20


def test_a_passage_knows_its_different_terms() -> None:
    """
    The same term twice is one.
    """
    found = [Match("a", 0, 1), Match("a", 2, 3), Match("b", 4, 5)]

    assert [2] == [fragment.distinct for fragment in fragments("a a b", found, 100)]


@given(st.text("ab .!\n。", max_size=200), st.integers(1, 40))
def test_every_match_is_in_one_passage(text: str, size: int) -> None:
    """
    In order, whole, and a passage is not much longer than it should be.
    """
    found = [Match(*word) for word in placed("standard", text) if "a" in word[0]]

    made = list(fragments(text, found, size))

    assert found == [match for fragment in made for match in fragment.matches]
    for fragment in made:
        assert fragment.matches
        assert fragment.start <= fragment.matches[0].start
        assert fragment.matches[-1].end <= fragment.end <= len(text)
        longest = max(match.end - match.start for match in fragment.matches)
        assert fragment.end - fragment.start <= size + longest + 50
