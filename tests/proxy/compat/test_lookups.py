from __future__ import annotations

import pytest

from proxy.compat.lookups import Lookup, lookups
from proxy.errors import BadRequest
from proxy.model import Sources

ALL = Sources()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"ids": ["a", 2]}, [Lookup(None, "a", ALL), Lookup(None, "2", ALL)]),
        ({"ids": []}, []),
        ({"docs": [{"_index": "i", "_id": "a"}]}, [Lookup("i", "a", ALL)]),
        ({"docs": [{"_id": "a", "_source": False}]}, [Lookup(None, "a", Sources(()))]),
    ],
)
def test_documents_that_are_asked_for(body, expected):
    """
    By id alone, or each with its index and its fields.
    """

    assert expected == lookups(body, ALL)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, None),
        ({"ids": [], "docs": []}, None),
        ({"ids": ["a"], "x": 1}, "x"),
        ({"ids": "a"}, "ids"),
        ({"ids": [""]}, "ids[0]"),
        ({"ids": [True]}, "ids[0]"),
        ({"ids": ["a"] * 101}, "ids"),
        ({"docs": [{"_id": "a", "routing": "x"}]}, "docs[0].routing"),
        ({"docs": [{"_id": "a", "stored_fields": []}]}, "docs[0].stored_fields"),
        ({"docs": [{"_index": "i"}]}, "docs[0]._id"),
        ({"docs": [{"_index": 1, "_id": "a"}]}, "docs[0]._index"),
        ({"docs": ["a"]}, "docs[0]"),
    ],
)
def test_what_asks_for_no_document(body, field):
    """
    Each is named.
    """
    with pytest.raises(BadRequest) as caught:
        lookups(body, ALL)

    assert field == caught.value.field
