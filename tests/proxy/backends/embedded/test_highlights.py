"""Highlights: which fields, which fragments, and what stands around a match."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.backends.embedded.fields import Field
from proxy.backends.embedded.highlights import highlighted
from proxy.errors import BackendRefused
from proxy.legs import Leg
from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.model import Highlight, HighlightField

FIELDS = {
    "title": Field("text", "english"),
    "body": Field("text", "english", optional=True),
    "note": Field("text", optional=True),
    "course": Field("keyword"),
}
DOCUMENT = {
    "title": "Running <b>foxes</b>",
    "body": ["A fox ran. A dog's fox slept. ", "No match here.", "The dog runs after the fox."],
    "note": "runs",
    "course": "fox",
}
LEG = Lexical("b", "i", ("title^3", "body"))


def marked(
    text: str, *fields: HighlightField, leg: Leg | None = LEG, **marks: str
) -> dict[str, Any] | None:
    """The highlights of the document."""
    wanted = Highlight(fields, **marks)
    found = highlighted(json.dumps(DOCUMENT).encode(), FIELDS, wanted, leg, text)
    return None if found is None else json.loads(found)


def test_terms_are_found_as_the_field_makes_them() -> None:
    """
    Stems, possessives and case are the analyzer's; what stands in the text is not escaped.
    """
    assert {"title": ["<em>Running</em> <b><em>foxes</em></b>"]} == marked(
        "the FOX runs", HighlightField("title")
    )
    assert {"note": ["<em>runs</em>"]} == marked("runs", HighlightField("note"))
    assert None is marked("run", HighlightField("note"))


@pytest.mark.parametrize(
    ("name", "leg", "expected"),
    [
        ("*", LEG, ["title", "body"]),
        ("*", Knn("b", "i", "v"), ["title", "body", "note"]),
        ("*", None, ["title", "body", "note"]),
        ("t*", LEG, ["title"]),
        ("note", LEG, ["note"]),
        ("course", LEG, []),
        ("nope", LEG, []),
        ("[tn]*", LEG, []),
    ],
)
def test_which_fields_are_meant(name: str, leg: Leg | None, expected: list[str]) -> None:
    """
    A name is any text field, a pattern those that the leg searches; others are passed over.
    """
    assert expected == list(marked("fox runs", HighlightField(name), leg=leg) or {})


@pytest.mark.parametrize(
    ("size", "fragments", "expected"),
    [
        (30, 2, ["The {dog} {runs} after the {fox}.", "A {fox} ran. A {dog's} {fox} slept."]),
        (12, 9, ["A {dog's} {fox} slept", "The {dog} {runs}", "A {fox} ran.", "{fox}."]),
        (30, 0, ["The {dog} {runs} after the {fox}.", "A {fox} ran. A {dog's} {fox} slept."]),
        (0, 1, ["The {dog} {runs} after the {fox}."]),
    ],
)  # fmt: skip
def test_the_best_fragments_come_first(size: int, fragments: int, expected: list[str]) -> None:
    """
    Those with more different terms, then in order; 0 fragments are whole values with a match.
    """
    asked = HighlightField("body", size, fragments)

    found = marked("dog fox run", asked, before="{", after="}")

    assert expected == (found or {})["body"]


def test_a_field_is_told_once_and_absent_ones_never() -> None:
    """
    The first that names it counts.
    """
    found = highlighted(
        b'{"title": "fox. fox", "course": "x"}',
        FIELDS,
        Highlight((HighlightField("title", 4, 1), HighlightField("*"))),
        LEG,
        "fox",
    )

    assert b'{"title":["<em>fox</em>."]}' == found


def test_a_text_that_is_none_is_refused() -> None:
    """
    As the search for it is.
    """
    with pytest.raises(BackendRefused):
        marked("\ud800", HighlightField("title"))
