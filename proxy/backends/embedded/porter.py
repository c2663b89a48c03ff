"""Porter's stemmer of 1980 with his later amendments (`bli`, `logi`), as Lucene's PorterStemFilter.

tantivy's own English stemmer is its successor, Porter2, which stems some words otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_CONSONANTS: Final = re.compile(r"v+c+")
_VOWELS: Final = frozenset("aeiou")

Rules = Sequence[tuple[str, str]]

_STEP2: Final[Rules] = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
    ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"),
    ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"),
    ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
    ("logi", "log"),
)  # fmt: skip
_STEP3: Final[Rules] = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"),
    ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP4: Final = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "sion",
    "tion", "ou", "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip


def stem(word: str) -> str:
    """The stem of a lower-case word; a word of one or two letters is its own.

    >>> [stem(word) for word in ("relational", "hopping", "ponies", "sky")]
    ['relat', 'hop', 'poni', 'sky']
    """
    if len(word) <= 2:
        return word
    word = _past(_plural(word))
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    return _final(_residue(_suffix(_suffix(word, _STEP2), _STEP3)))


def _shape(word: str) -> str:
    """The word as vowels (v) and consonants (c); y is a vowel after a consonant."""
    kinds = ""
    for letter in word:
        vowel = letter in _VOWELS or (letter == "y" and kinds[-1:] == "c")
        kinds += "v" if vowel else "c"
    return kinds


def _measure(word: str) -> int:
    """How many times a vowel is followed by a consonant: Porter's m."""
    return len(_CONSONANTS.findall(_shape(word)))


def _short(word: str) -> bool:
    """Ends consonant, vowel, consonant other than w, x, y (Porter's *o), as in `hop`."""
    return _shape(word)[-3:] == "cvc" and word[-1] not in "wxy"


def _doubled(word: str) -> bool:
    return word[-2:-1] == word[-1:] and _shape(word)[-1:] == "c"


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    cut = 2 if word.endswith("ed") else 3 if word.endswith("ing") else 0
    rest = word[: len(word) - cut]
    if not cut or "v" not in _shape(rest):
        return word
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if _doubled(rest):
        return rest if rest[-1] in "lsz" else rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _short(rest) else rest


def _suffix(word: str, rules: Rules) -> str:
    for ending, other in rules:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return rest + other if _measure(rest) > 0 else word
    return word


def _residue(word: str) -> str:
    for ending in _STEP4:
        if word.endswith(ending):
            # Of `sion` and `tion` only `ion` goes: the s or t is a condition.
            rest = word[: -len(ending)] if not ending.endswith("ion") else word[:-3]
            return rest if _measure(rest) > 1 else word
    return word


def _final(word: str) -> str:
    whole = _measure(word)
    if word.endswith("e") and (whole > 1 or (whole == 1 and not _short(word[:-1]))):
        word = word[:-1]
    return word[:-1] if word.endswith("ll") and whole > 1 else word
