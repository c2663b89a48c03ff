from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.identity import HASH_BYTES, Identity, canonical, normalised
from proxy.model import Filter, Query, Terms

IDENTITY = Identity(b"a secret of thirty-two characters")


def query(text: str, *filters: Filter, vector: tuple[float, ...] | None = None) -> Query:
    return Query("token", b"n" * 16, "faq", text, filters=filters, vector=vector)


@pytest.mark.parametrize(
    ("typed", "means"),
    [
        ("  Join\tthe   course ", "join the course"),
        ('"join" ?!', "join"),
        ("ＪＯＩＮ", "join"),  # noqa: RUF001 - the point is that they look alike
        ("STRASSE straße", "strasse strasse"),
        ("e-mail", "e-mail"),
        ("?!", ""),
        ("", ""),
        ("¿dónde?", "dónde"),
    ],
)
def test_normalised(typed: str, means: str):
    """
    Case, width, spacing and outer punctuation make no other query.
    """
    assert means == normalised(typed)


@given(st.text())
def test_normalised_is_idempotent_but_for_unicode_folding(text: str):
    """
    What is left has no outer space.
    """
    assert normalised(text) == normalised(text).strip()


def test_user_and_session_of_the_same_spelling_differ():
    """
    Each kind of input is hashed under its own label.
    """
    assert IDENTITY.user("anna") != IDENTITY.session("anna")


def test_hashes_depend_on_the_secret():
    """
    Without the secret nobody can tell whose hash it is.
    """
    other = Identity(b"another secret of many characters")

    assert IDENTITY.user("anna") != other.user("anna")
    assert IDENTITY.query_key(query("a")) != other.query_key(query("a"))


def test_hashes_are_sixteen_bytes():
    """
    Every hash has the length that the records are made for.
    """
    assert HASH_BYTES == len(IDENTITY.user("a")) == len(IDENTITY.query_key(query("a")))


def test_query_key_ignores_the_order_of_filters_and_values():
    """
    The same filters are the same query, however they are written.
    """
    one = query("a", Terms("x", (1, 2)), Terms("y", ("z",)))
    two = query("A ", Terms("y", ("z",)), Terms("x", (2, 1)))

    assert IDENTITY.query_key(one) == IDENTITY.query_key(two)


@pytest.mark.parametrize(
    ("one", "two"), [((1,), (True,)), ((1,), ("1",)), ((1,), (1, 2)), (("a",), ("b",))]
)
def test_canonical_tells_values_apart(one: tuple[object, ...], two: tuple[object, ...]):
    """
    true is not 1 and neither is "1".
    """
    assert canonical([Terms("x", one)]) != canonical([Terms("x", two)])


def test_queries_without_text_differ_by_vector():
    """
    Asked by vector alone, another vector is another query; beside a text it changes nothing.
    """
    one, two = (1.0, 0.0), (0.0, 1.0)

    assert IDENTITY.query_key(query("", vector=one)) != IDENTITY.query_key(query("", vector=two))
    assert IDENTITY.query_key(query("a", vector=one)) == IDENTITY.query_key(query("a"))
