from __future__ import annotations

from typing import Any

import pytest

from proxy.answer import Answer
from proxy.model import Query, RankedList
from proxy.served import Served

RANKED = RankedList(("a", "b", "c", "d"), (4.0, 3.0, 2.0, None))


def served(**asked: Any) -> Served:
    nothing: Any = None
    query = Query("t", b"n" * 16, "faq", "q", **asked)
    return Served(nothing, query, 0, nothing, nothing, Answer(RANKED, 4), {})


def test_a_page_is_a_part_of_the_list():
    """
    Later pages begin where earlier ones end, and the last may be short or empty.
    """
    assert RankedList(("b", "c"), (3.0, 2.0)) == served(size=2, offset=1).page
    assert RankedList(("d",), (None,)) == served(size=5, offset=3).page
    assert RankedList() == served(size=5, offset=10).page


@pytest.mark.parametrize(
    ("asked", "logged"),
    [({}, True), ({"size": 0}, False), ({"type": "typeahead"}, False), ({"offset": 50}, True)],
)
def test_what_is_an_impression(asked: dict[str, Any], logged: bool):
    """
    A page that somebody asked for and got, even an empty one.
    """
    assert logged is served(**asked).logged
