"""Whom a request is for, and what it is."""

from __future__ import annotations

import pytest

from proxy.backends.cluster.requests.target import Engine, Reach, mget_request, search_request


@pytest.mark.parametrize(
    ("index", "path"),
    [
        ("faq", "/faq/_search"),
        ("logs-*,old", "/logs-*,old/_search"),
        ("elsewhere:faq", "/elsewhere:faq/_search"),
        ("../_cluster/settings?x", "/..%2F_cluster%2Fsettings%3Fx/_search"),
        ("größe", "/gr%C3%B6%C3%9Fe/_search"),
    ],
)
def test_an_index_can_be_nothing_but_an_index(index: str, path: str) -> None:
    """
    Whatever it is called, it stays one segment of the path.
    """
    assert path == search_request(Reach(index), {}, {}).path


def test_a_request_says_what_it_is_answered_with() -> None:
    """
    Its answer is read by another struct.
    """
    search = search_request(Reach("faq"), {"size": 0}, {"a": "b"})
    mget = mget_request(Reach("faq"), {"ids": ["1"]}, {})

    assert ("search", b'{"size":0}', {"a": "b"}) == (search.answer, search.body, search.params)
    assert ("mget", "/faq/_mget") == (mget.answer, mget.path)


def test_what_is_not_unicode_is_refused() -> None:
    """
    Half of a surrogate pair can't be sent.
    """
    with pytest.raises(ValueError, match="surrogates not allowed"):
        search_request(Reach("faq"), {"query": {"match": {"title": "\ud800"}}}, {})


def test_an_engine_knows_its_dialect() -> None:
    """
    There are two.
    """
    assert Engine("elasticsearch", (9, 2)).elastic
    assert not Engine("opensearch", (3, 5)).elastic
