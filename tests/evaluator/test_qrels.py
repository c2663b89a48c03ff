"""What was shown and clicked under a query key."""

from __future__ import annotations

import logging

import pytest

from evaluator.grading import Grades
from evaluator.open_impressions import Change
from evaluator.qrels import MAX_DOCUMENTS, Document, by_query, judged, read
from proxy.events.records import Impression
from tests.evaluator.made import T0, impression, result


def change(
    page: Impression, after: Grades = (), before: Grades | None = None, ms: int = T0
) -> Change:
    """A change without shadows."""
    return Change(ms, page, (), before, after, False)


def merged(*changes: Change, stored: bytes | None = None) -> dict[str, Document]:
    """The documents of the one query key."""
    return read(judged({b"q": stored}, by_query(changes))[b"q"].raw)


def test_what_a_page_showed_is_counted_by_rank() -> None:
    """
    Absolute ranks, and nothing that it didn't show.
    """
    found = merged(change(impression(docs="a b c d", offset=1, size=2)))

    assert {"b": Document(T0, 0, 0, [0, 1]), "c": Document(T0, 0, 0, [0, 0, 1])} == found


def test_clicks_are_counted_and_corrected() -> None:
    """
    A click that turns out to satisfy is still one click.
    """
    page = impression(docs="a b")
    stored = judged({}, by_query([change(page, ((2, 1),))]))[b"q"].raw

    found = merged(change(page, ((1, 1), (2, 2)), before=((2, 1),)), stored=stored)

    assert Document(T0, 1, 0, [1]) == found["a"]
    assert Document(T0, 1, 1, [0, 1]) == found["b"]


def test_changes_of_shadows_alone_do_not_count() -> None:
    """
    Nobody saw them.
    """
    alone = Change(T0, impression(), (result(),), (), (), False)

    assert {} == by_query([alone])


def test_a_query_key_keeps_a_bounded_number_of_documents() -> None:
    """
    Those that were shown last.
    """
    docs = [f"d{number}" for number in range(MAX_DOCUMENTS + 50)]
    pages = [
        change(impression(docs=" ".join(docs[start : start + 50]), size=50), ms=T0 + start)
        for start in range(0, len(docs), 50)
    ]

    assert set(docs[50:]) == set(merged(*pages))


def test_when_a_query_was_last_seen_never_goes_back() -> None:
    """
    A correction of an older impression is no visit.
    """
    stored = judged({}, by_query([change(impression(), ms=T0 + 9)]))[b"q"].raw
    older = by_query([change(impression(), ((1, 1),), before=())])

    assert T0 + 9 == judged({b"q": stored}, older)[b"q"].last


def test_unreadable_qrels_are_begun_anew(caplog: pytest.LogCaptureFixture) -> None:
    """
    And said in the log.
    """
    with caplog.at_level(logging.WARNING):
        found = merged(change(impression(docs="a")), stored=b"\xc1")

    assert {"a": Document(T0, 0, 0, [1])} == found
    assert "qrels unreadable, begun anew" in caplog.text
