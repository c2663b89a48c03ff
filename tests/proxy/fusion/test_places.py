"""Documents as numbers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proxy.fusion.places import Places

lists = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True).map(tuple), min_size=1)


def test_the_places_of_two_lists():
    """
    In the row a b c b d, b stands at 1 and at 3; the end, 5, means that a list doesn't have it.
    """
    places = Places.of([("a", "b", "c"), ("b", "d")])

    assert ("a", "b", "c", "d") == places.ids
    assert [[0, 1, 2, 5], [5, 3, 5, 4]] == places.of_lists.tolist()


def test_no_list_has_anything():
    """
    No document, and still a row for each list.
    """
    places = Places.of([(), ()])

    assert () == places.ids
    assert (2, 0) == places.of_lists.shape


@given(lists)
def test_every_document_is_found_where_it_stands(several: list[tuple[str, ...]]):
    """
    In each list that has it, and nowhere else.
    """
    places = Places.of(several)

    row = [*(doc for docs in several for doc in docs), None]
    assert len(set(places.ids)) == len(places.ids)
    assert {doc for docs in several for doc in docs} == set(places.ids)
    for docs, of_list in zip(several, places.of_lists.tolist(), strict=True):
        expected = [doc if doc in docs else None for doc in places.ids]
        assert expected == [row[place] for place in of_list]
