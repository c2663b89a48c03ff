"""Analyzers: tables of text and terms, as Lucene's analyzers make them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.backends.embedded.analyzers import LONGEST, STOP_WORDS, english, placed, standard


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The quick-brown FOX", "the quick brown fox"),
        ("can't U.S.A. foo_bar x:y", "can't u.s.a foo_bar x:y"),
        ("3.5 1,000 10:30 p<0.05", "3.5 1,000 10 30 p 0.05"),
        ("TNF-Ω IL-2/IL-4 CD4(+)", "tnf ω il 2 il 4 cd4"),
        ("__ -- '' !", ""),
        ("a@b.org http://x.org/y_z", "a b.org http x.org y_z"),
        ("东京 タワー ひら 한국어", "东 京 タワー ひ ら 한국어"),
        ("ภาษาไทย", "ภาษาไทย"),
        ("e\u0301te\u0301 É", "e\u0301te\u0301 é"),
        ("👍🏽 ok 🇩🇪🇫🇷 👨\u200d👩\u200d👧", "👍🏽 ok 🇩🇪 🇫🇷 👨\u200d👩\u200d👧"),
        ("nul\0byte tab\tline\nend", "nul byte tab line end"),
    ],
)
def test_standard_cuts_words_by_uax_29(text: str, expected: str) -> None:
    """
    Letters, digits and what joins them make words; ideographs stand alone; the rest separates.
    """
    assert expected.split() == standard(text)


def test_a_very_long_word_is_cut_as_lucene_cuts_it() -> None:
    """
    No term is longer than 255 characters, and none of the word is lost.
    """
    assert ["a" * LONGEST, "a" * LONGEST, "a" * 90] == standard("A" * 600)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The foxes' den and the fox's den", "fox den fox den"),
        ("James\u2019s runnings", "jame run"),
        ("It is what it was", "what"),
        ("Biomaterials show inductive properties.", "biomateri show induct properti"),
        ("THEIR There-fore", "fore"),
        ("", ""),
    ],
)
def test_english_drops_possessives_and_stop_words_then_stems(text: str, expected: str) -> None:
    """
    Possessives go first, then the 33 stop words, then Porter's stemmer.
    """
    assert expected.split() == english(text)


def test_there_are_33_stop_words() -> None:
    """
    Lucene's list, not Snowball's longer one.
    """
    assert 33 == len(STOP_WORDS)


def test_a_lone_surrogate_is_refused() -> None:
    """
    What isn't Unicode raises ValueError, whose message the engine passes on.
    """
    with pytest.raises(ValueError, match="surrogates"):
        standard("x \ud800")


@given(st.text())
def test_terms_never_hold_a_line_end(text: str) -> None:
    """
    Terms are stored one a line, so none may hold a newline; none is empty.
    """
    assert all(term and "\n" not in term for term in standard(text))


def test_analyzers_are_used_from_many_threads() -> None:
    """
    Eight threads analysing at once get what one gets.
    """
    texts = [f"The {i} quick foxes' dens" for i in range(400)]

    with ThreadPoolExecutor(8) as threads:
        assert list(map(english, texts)) == list(threads.map(english, texts))


@given(st.text(max_size=60))
def test_every_term_has_its_place(text: str) -> None:
    """
    In order of text, the same terms as without their places; `standard` only lower-cases.
    """
    found = list(placed("standard", text))

    assert standard(text) == [term for term, _, _ in found]
    assert english(text) == [term for term, _, _ in placed("english", text)]
    assert [(start, end) for _, start, end in found] == sorted(
        (start, end) for _, start, end in found
    )
    for term, start, end in found:
        assert [term] == standard(text[start:end])
