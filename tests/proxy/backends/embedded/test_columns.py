"""Columns: values by document, as Lucene keeps them, and their way to the disk and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from proxy.backends.embedded.columns import Column, build, firsts, load, made
from proxy.backends.embedded.fields import Field

FIELDS = {
    "text": Field("text"),
    "course": Field("keyword"),
    "year": Field("number", optional=True),
    "free": Field("boolean"),
}
DOCUMENTS = [
    {"text": "x", "course": ["ml", "de", "ml"], "year": [3, 1, 3], "free": True},
    {"text": "x", "course": [], "free": [True, False]},
    {"text": "x", "course": "\U0001f98a", "year": -0.0, "free": False},
]


def pairs(column: Column) -> list[tuple[int, float]]:
    """(owner, value) of all its values."""
    return list(zip(column.owners.tolist(), column.values.tolist(), strict=True))


def test_a_document_s_values_stand_in_order() -> None:
    """
    A keyword's each once, as places in the sorted words; numbers as often as they are held.
    """
    course = made(FIELDS["course"], [["ml", "de", "ml"], [], ["\U0001f98a"], ["\uffff"]])
    year = made(FIELDS["year"], [[3, 1, 3], [], [-0.0]])
    free = made(FIELDS["free"], [[True], [True, False]])

    assert ("de", "ml", "\uffff", "\U0001f98a") == course.words
    assert [(0, 0), (0, 1), (2, 3), (3, 2)] == pairs(course)
    assert [(0, 1.0), (0, 3.0), (0, 3.0), (2, 0.0)] == pairs(year)
    assert "0.0" == str(year.values.tolist()[-1])
    assert [(0, 1), (1, 0), (1, 1)] == pairs(free)


@pytest.mark.parametrize(
    ("numbers", "whole"),
    [([], True), ([1, 2.0], True), ([1, 2.5], False), ([2**53], True), ([1e300], False)],
)
def test_a_column_knows_whether_its_numbers_are_whole(numbers: list[float], whole: bool) -> None:
    """
    Their facets then have whole keys.
    """
    assert whole is made(Field("number"), [numbers]).whole


def test_repetitions_are_told() -> None:
    """
    The same value of another document is none.
    """
    year = made(Field("number"), [[3, 1, 3], [3], []])

    assert [True, True, False, True] == firsts(year.owners, year.values).tolist()
    assert [] == firsts(*[made(Field("number"), [[]]).owners] * 2).tolist()


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """
    All fields but texts.
    """
    written = build(tmp_path, DOCUMENTS, FIELDS)
    read = load(tmp_path, FIELDS)

    assert {"course", "year", "free"} == written.keys() == read.keys()
    for name, column in written.items():
        assert pairs(column) == pairs(read[name])
        assert (column.type, column.words) == (read[name].type, read[name].words)
        assert column.whole == read[name].whole
