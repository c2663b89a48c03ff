"""Fragments of a text around what matched: whole sentences where they fit, like Elasticsearch's
unified highlighter.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_SENTENCE: Final = re.compile(
    # A full stop ends no sentence where the next word begins small, as UAX #29 has it.
    r"\.[\"')\]]*\s+(?![\W\d_]{0,20}[a-z\u00df-\u00f6\u00f8-\u00ff])"
    r"|[!?][\"')\]]*\s+|[\u3002\uff01\uff1f]\s*|\n\s*"
)
_SPACE: Final = re.compile(r"\s")
_WORD_END: Final = re.compile(r"(?![\w'\u2019])")
_LONGEST_WORD: Final = 50
"""A fragment that ends in a longer word is cut within it."""


@dataclass(frozen=True, slots=True)
class Match:
    """A word of a text that makes one of the terms asked for: where it starts and ends."""

    term: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Fragment:
    """A passage of a text with the matches in it."""

    text: str
    start: int
    end: int
    matches: tuple[Match, ...]

    @property
    def distinct(self) -> int:
        """How many of the terms are in it."""
        return len({match.term for match in self.matches})

    def marked(self, before: str, after: str) -> str:
        """The passage, trimmed, with each match between two marks."""
        pieces, at = [], self.start
        for match in self.matches:
            word = self.text[match.start : match.end]
            pieces += [self.text[at : match.start], before, word, after]
            at = match.end
        return "".join([*pieces, self.text[at : self.end]]).strip()


def fragments(text: str, matches: Sequence[Match], size: int) -> Iterator[Fragment]:
    """Passages of about `size` characters, in order of text, that hold every match once; with
    `size` 0 the whole text.
    """
    if not size:
        yield Fragment(text, 0, len(text), tuple(matches))
        return
    sentences = [0, *(end.end() for end in _SENTENCE.finditer(text)), len(text)]
    end = at = 0
    while at < len(matches):
        first = matches[at]
        start = min(first.start, max(end, _start(text, sentences, first, size)))
        end = _end(text, sentences, first, max(start + size, first.end))
        beyond = bisect_right(matches, end, at, key=lambda match: match.end)
        yield Fragment(text, start, end, tuple(matches[at:beyond]))
        at = beyond


def _start(text: str, sentences: Sequence[int], first: Match, size: int) -> int:
    """Where the match's sentence starts; in a long one, the word a little before the match."""
    start = sentences[bisect_right(sentences, first.start) - 1]
    if first.end - start <= size:
        return start
    space = _SPACE.search(text, max(start, first.start - size // 3), first.start)
    return first.start if space is None else space.end()


def _end(text: str, sentences: Sequence[int], first: Match, limit: int) -> int:
    """The last end of a sentence up to `limit`; in a long one, the end of the word there."""
    sentence = sentences[bisect_right(sentences, limit) - 1]
    if sentence >= first.end:
        return sentence
    word = _WORD_END.search(text, limit, limit + _LONGEST_WORD)
    return limit if word is None else word.start()
