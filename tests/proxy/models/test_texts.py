"""Texts on their way to a model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.errors import BackendRefused
from proxy.models.texts import document, query


def test_a_query_is_cut_before_its_prefix_is_added() -> None:
    """
    A long query keeps the prefix that the model was taught.
    """
    assert "query: qui" == query("quick", 3, "query: ")


def test_a_query_that_is_no_unicode_is_refused() -> None:
    """
    It would fail everybody's call that it is sent in.
    """
    with pytest.raises(BackendRefused, match="Unicode"):
        query("a\ud800", 10)


@given(st.text(st.characters(codec=None)), st.integers(1, 20))
def test_a_document_can_always_be_sent(text: str, most: int) -> None:
    """
    One strange character costs itself, not the list it stands in.
    """
    sent = document(text, most)

    assert len(sent) <= most
    assert sent == sent.encode().decode()
