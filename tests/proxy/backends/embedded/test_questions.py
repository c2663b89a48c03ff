"""Boosts as they are written, and questions that are refused."""

from __future__ import annotations

import pytest
import tantivy

from proxy.backends.embedded.fields import Field
from proxy.backends.embedded.filters import Layout
from proxy.backends.embedded.questions import MOST_TERMS, best_fields, boosts
from proxy.errors import BackendRefused

FIELDS = {"title": Field("text", "english"), "course": Field("keyword")}
SCHEMA = tantivy.SchemaBuilder().add_text_field("f0").add_unsigned_field("f1").build()
LAYOUT = Layout(SCHEMA, FIELDS, {"title": "f0", "course": "f1"}, {"course": ()})


def ask(text: str, *fields: str) -> tantivy.Query | None:
    """The question in our small schema."""
    return best_fields(LAYOUT, fields, text, 0.0)


def test_a_boost_follows_a_caret() -> None:
    """
    1 where none is written.
    """
    assert {"title": 2.5, "text": 1.0} == boosts(["title^2.5", "text"])


@pytest.mark.parametrize(
    "field", ["title^", "title^x", "title^0", "title^-1", "title^inf", "a^1^2"]
)
def test_a_boost_is_a_number_above_zero(field: str) -> None:
    """
    Everything else names the field.
    """
    with pytest.raises(ValueError, match="a boost is a number above 0"):
        boosts([field])


def test_a_field_stands_once() -> None:
    """
    Two boosts of one field contradict each other.
    """
    with pytest.raises(ValueError, match="'title' stands there twice"):
        boosts(["title", "title^2"])


@pytest.mark.parametrize("text", ["", "   ", "the of and", "?!"])
def test_nothing_to_ask_is_no_question(text: str) -> None:
    """
    A text without terms finds nothing, as a match query does.
    """
    assert ask(text, "title") is None


@pytest.mark.parametrize("field", ["course", "nope", "title^x"])
def test_only_text_fields_are_asked(field: str) -> None:
    """
    A keyword or an unknown field is a mistake of the configuration.
    """
    with pytest.raises(BackendRefused, match=r"is no text field|a boost is"):
        ask("fox", field)


def test_too_many_terms_are_refused() -> None:
    """
    As many as Elasticsearch allows at least are answered, one more isn't.
    """
    assert ask(" ".join(f"x{i}" for i in range(MOST_TERMS)), "title") is not None
    with pytest.raises(BackendRefused, match="1025 distinct terms"):
        ask(" ".join(f"x{i}" for i in range(MOST_TERMS + 1)), "title")


def test_text_that_is_no_unicode_is_refused() -> None:
    """
    A lone surrogate is the caller's mistake, not a crash.
    """
    with pytest.raises(BackendRefused, match="surrogates"):
        ask("\ud800", "title")
