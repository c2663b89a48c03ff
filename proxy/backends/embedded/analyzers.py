"""Analyzers: text to terms, as Lucene's `standard` and `english` make them.

Words are cut by tantivy with the rules of UAX #29 (what Lucene's StandardTokenizer implements), and
lower-cased there; possessives, stop words and stems follow here, because tantivy's own differ.
What still differs from Lucene is written in docs/embedded-engine.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Final, Literal, TypeAlias

import tantivy

from proxy.backends.embedded.porter import stem

AnalyzerName: TypeAlias = Literal["standard", "english"]
Analyzer: TypeAlias = Callable[[str], list[str]]

VERSION: Final = 1
"""Part of a built index's key: raise it when an analyzer makes other terms."""
LONGEST: Final = 255
"""A longer word is cut into pieces of this length, as Lucene's tokenizer does."""
STOP_WORDS: Final = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it",
    "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these",
    "they", "this", "to", "was", "will", "with",
})  # fmt: skip
"""The 33 words of Lucene's EnglishAnalyzer."""

# What continues a character (WB4), then the classes of UAX #29 each with its continuation.
_MORE: Final = r"[\p{wb=Extend}\p{wb=Format}\p{wb=ZWJ}]*"
_LETTER: Final = rf"(?:[\p{{wb=ALetter}}\p{{wb=Hebrew_Letter}}]{_MORE})"
_MID_LETTER: Final = rf"(?:[\p{{wb=MidLetter}}\p{{wb=MidNumLet}}\p{{wb=Single_Quote}}]{_MORE})"
_DIGIT: Final = rf"(?:\p{{wb=Numeric}}{_MORE})"
_MID_DIGIT: Final = rf"(?:[\p{{wb=MidNum}}\p{{wb=MidNumLet}}\p{{wb=Single_Quote}}]{_MORE})"
_JOIN: Final = rf"(?:\p{{wb=ExtendNumLet}}{_MORE})"
_LETTERS: Final = rf"{_LETTER}(?:{_MID_LETTER}?{_LETTER})*"
_NUMBER: Final = rf"{_DIGIT}(?:{_MID_DIGIT}?{_DIGIT})*"
_KATAKANA: Final = rf"(?:\p{{wb=Katakana}}{_MORE})+"
_RUN: Final = rf"(?:(?:{_LETTERS}|{_NUMBER})+|{_KATAKANA})"
_WORD: Final = rf"{_JOIN}*{_RUN}(?:{_JOIN}+{_RUN})*{_JOIN}*"
# Lucene's additions: an ideograph or a hiragana is a word, a run of a script without spaces is one.
_IDEOGRAPH: Final = rf"[\p{{Han}}\p{{Hiragana}}]{_MORE}"
_SPACELESS: Final = rf"(?:[\p{{Thai}}\p{{Lao}}\p{{Khmer}}\p{{Myanmar}}]{_MORE})+"
_FLAG: Final = r"\p{Regional_Indicator}{2}"
_EMOJI: Final = rf"\p{{Emoji_Presentation}}(?:{_MORE}\p{{Extended_Pictographic}})*{_MORE}"


def _cutter() -> tantivy.TextAnalyzerBuilder:
    pattern = f"{_WORD}|{_IDEOGRAPH}|{_SPACELESS}|{_FLAG}|{_EMOJI}"
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(pattern))


_AS_WRITTEN: Final = _cutter().build()
_WORDS: Final = _cutter().filter(tantivy.Filter.lowercase()).build()


def standard(text: str) -> list[str]:
    """Words, lower-cased. Raises ValueError for text that isn't Unicode (a lone surrogate).

    >>> standard("The CAT's 3.5 e-mails")
    ['the', "cat's", '3.5', 'e', 'mails']
    """
    words = _WORDS.analyze(text)
    if max(map(len, words), default=0) <= LONGEST:
        return words
    return [word[at : at + LONGEST] for word in words for at in range(0, len(word), LONGEST)]


def english(text: str) -> list[str]:
    """Words without possessive 's, without stop words, stemmed.

    >>> english("The CAT's 3.5 e-mails")
    ['cat', '3.5', 'e', 'mail']
    """
    return [term for term in map(_english_term, standard(text)) if term]


@lru_cache(maxsize=1 << 16)
def _english_term(word: str) -> str:
    """A word's term; empty for a stop word."""
    if word.endswith(("'s", "\u2019s", "\uff07s")):
        word = word[:-2]
    return "" if word in STOP_WORDS else stem(word)


ANALYZERS: Mapping[AnalyzerName, Analyzer] = {"standard": standard, "english": english}


def placed(name: AnalyzerName, text: str) -> Iterator[tuple[str, int, int]]:
    """The terms that an analyzer makes of `text`, each with where its word starts and ends.

    >>> list(placed("english", "The CAT's e-mails"))
    [('cat', 4, 9), ('e', 10, 11), ('mail', 12, 17)]
    """
    at = 0
    words = zip(_AS_WRITTEN.analyze(text), _WORDS.analyze(text), strict=True)
    for written, lower in words:
        # Words are cut leftmost first, so none can stand in what was skipped before it.
        start = text.index(written, at)
        at = start + len(written)
        for cut in range(0, len(lower), LONGEST):
            piece = lower[cut : cut + LONGEST]
            term = _english_term(piece) if name == "english" else piece
            if term:
                yield term, start + cut, min(at, start + cut + LONGEST)
