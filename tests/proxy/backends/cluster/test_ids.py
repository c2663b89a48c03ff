"""How documents are named within a route."""

from __future__ import annotations

import doctest

from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.backends.cluster import ids
from proxy.backends.cluster.ids import by_index, joined

INDEX = st.text(st.characters(exclude_characters="/"), min_size=1)


@settings(deadline=None)  # other processes share the cores
@given(places=st.lists(st.tuples(INDEX, st.text(min_size=1)), unique=True))
def test_a_name_says_where_its_document_is(places: list[tuple[str, str]]) -> None:
    """
    Whatever the id holds, slashes too.
    """
    names = joined([index for index, _ in places], [own for _, own in places])
    found = by_index(names)

    assert sorted(places) == sorted((index, own) for index in found for own in found[index])
    assert len(names) == len(set(names))


def test_what_has_no_index_or_no_id_is_nowhere() -> None:
    """
    Callers may ask for any id.
    """
    assert {} == by_index(["a", "/a", "a/", "", "/"])


def test_its_examples_hold() -> None:
    """
    What the docstrings show is what happens.
    """
    assert 0 == doctest.testmod(ids).failed
