"""Tests of proxy.build.mending."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.named import freeze
from config.schema import Part
from proxy.backends.registry import BACKENDS
from proxy.build.mending import Mended, mend
from proxy.legs import LEGS
from proxy.legs.lexical import Lexical

LEG: dict[str, Any] = {"backend": "b", "index": "i", "fields": ["title"]}
WHOLE = Lexical("b", "i", ("title",))


def part(kind: str, **options: Any) -> Part:
    """A part as the loader leaves it."""
    return Part(kind=kind, options=tuple((key, freeze(value)) for key, value in options.items()))


def embedded(index: object, **options: Any) -> Part:
    """A backend of one index."""
    return part("embedded", indices={"faq": index}, **options)


def test_what_is_whole_stays_so() -> None:
    """
    There is nothing to mend.
    """
    assert Mended(WHOLE) == mend(part("lexical", **LEG), LEGS)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"windw": 9}, Lexical("b", "i", ("title",), window=9)),
        ({"windw": "9"}, WHOLE),
        ({"windw": 9, "window": 8}, Lexical("b", "i", ("title",), window=8)),
        ({"zzzzz": 9}, WHOLE),
        ({"window": "9"}, WHOLE),
        ({"window": 0, "timeout_ms": 0, "tie_breaker": 2}, WHOLE),
    ],
)
def test_a_key_is_taken_as_meant_or_left_out(options: dict[str, Any], expected: Lexical) -> None:
    """
    A misspelt key is the nearest one, and a value out of range is the default.
    """
    mended = mend(part("lexical", **LEG, **options), LEGS)

    assert mended is not None
    assert expected == mended.value


@pytest.mark.parametrize("wrong", [{"fields": 3}, {"fields": []}, {"fields": [1]}, {"index": None}])
def test_what_cannot_be_guessed_is_not(wrong: dict[str, Any]) -> None:
    """
    A leg without its fields can't be judged.
    """
    assert None is mend(part("lexical", **{**LEG, **wrong}), LEGS)
    assert None is mend(part("lexcal", **LEG), LEGS)


@pytest.mark.parametrize(
    ("field", "lost"),
    [
        ({"type": "txt"}, False),
        ({"type": "?"}, False),
        ({"tpye": "text"}, False),
        ({}, True),
        (3, True),
        ({"type": "keyword", "analyzer": "english"}, True),
    ],
)
def test_an_index_whose_field_was_dropped_is_told_apart(field: object, lost: bool) -> None:
    """
    What is not among its fields may have been the one.
    """
    fields = {"title": field, "text": {"type": "text"}}
    mended: Any = mend(embedded({"corpus": "c", "fields": fields}, threads="2"), BACKENDS)

    names = [name for name, _ in dict(mended.value.indices)["faq"].fields]
    assert (["text"] if lost else ["title", "text"]) == sorted(names, reverse=True)
    assert lost == ("faq" in mended.lost)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 99) | st.sampled_from(["", "text", "txt", "c"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["corpus", "corpsu", "fields", "vectors", "type", "a b", "faq"]), inner
        )
    ),
    max_leaves=15,
)


@given(st.dictionaries(st.sampled_from(["indices", "indexes", "threads", "cache"]), VALUES))
def test_mending_ends(options: dict[str, Any]) -> None:
    """
    Whatever is wrong, there is a recipe or none.
    """
    mended = mend(part("embedded", **options), BACKENDS)

    assert mended is None or mended.value.indices
