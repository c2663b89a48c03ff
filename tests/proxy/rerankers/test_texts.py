"""The texts that rerankers read."""

from __future__ import annotations

import pytest

from proxy.backends import Document
from proxy.errors import BackendError
from proxy.rerankers.texts import texts_of


@pytest.mark.parametrize(
    ("source", "fields", "text"),
    [
        (b'{"title": "red", "text": "fox"}', ["title", "text"], "red\nfox"),
        (b'{"title": "red", "text": "fox"}', ["text", "title"], "fox\nred"),
        (b'{"tags": ["red", ["quick"], "fox"]}', ["tags"], "red\nquick\nfox"),
        (b'{"a": {"b": {"c": "deep"}}}', ["a.b.c"], "deep"),
        (b'{"a.b": {"c": "dotted"}}', ["a.b.c"], "dotted"),
        (b'{"a": [{"b": "one"}, {"c": "no"}, {"b": ["two"]}]}', ["a.b"], "one\ntwo"),
        (b'{"year": 1999, "price": 2.5}', ["year", "price"], "1999\n2.5"),
        (b'{"title": " red \\n", "text": "\\t"}', ["title", "text"], "red"),
    ],
)
def test_fields_joined_by_line_ends(source: bytes, fields: list[str], text: str) -> None:
    """
    In the order of the fields; lists are flattened, missing fields skipped, paths may be dotted.
    """

    assert {"d": text} == texts_of({"d": Document(source)}, fields)


@pytest.mark.parametrize(
    "source",
    [
        None, b"{}", b"[]", b"null", b'{"title": null}', b'{"title": {"x": "y"}}',
        b'{"title": true}', b'{"title": " "}', b'{"title": []}', b'{"other": "fox"}',
    ],
)  # fmt: skip
def test_a_document_without_text_is_left_out(source: bytes | None) -> None:
    """
    Neither an object nor a truth value is text.
    """

    assert {} == texts_of({"d": Document(source)}, ["title"])


@pytest.mark.parametrize("source", [b"<html>", b"", b'{"title": "\xff"}'])
def test_a_source_that_is_no_json_is_the_engines_failure(source: bytes) -> None:
    """
    The stage is degraded; it is no bug of ours.
    """
    with pytest.raises(BackendError, match="no JSON"):
        texts_of({"d": Document(source)}, ["title"])
