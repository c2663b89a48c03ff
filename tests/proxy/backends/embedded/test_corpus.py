"""Reading a corpus: what is kept of it, and how every problem is named."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.errors import ConfigError
from proxy.backends.embedded.corpus import scan
from proxy.backends.embedded.fields import Field
from proxy.backends.embedded.progress import Progress
from proxy.wire import checks
from proxy.wire.events import MAX_DOC_ID

FIELDS = {"title": Field("text"), "year": Field("number", optional=True)}


def problems(path: Path) -> tuple[str, ...]:
    """What is wrong with a corpus."""
    with pytest.raises(ConfigError) as caught:
        scan(path, FIELDS, Progress())
    assert str(path) == caught.value.source
    return caught.value.problems


def test_documents_stand_in_order_of_ids(write) -> None:
    """
    Ids are sorted; each keeps its line and its bytes.
    """
    path = write([{"_id": "b", "title": "x"}, {"id": "a", "title": "y"}, {"_id": "é", "title": ""}])

    corpus = scan(path, FIELDS, Progress())

    assert ("a", "b", "é") == corpus.ids
    assert [1, 0, 2] == corpus.lines.tolist()
    assert ["y", "x", ""] == [document["title"] for document in corpus.documents()]


def test_a_last_line_needs_no_newline_and_gzip_is_unpacked(tmp_path: Path) -> None:
    """
    The same documents, packed and without the last newline.
    """
    path = tmp_path / "c.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"_id": "a", "title": "x"}\r\n{"_id": "b", "title": "y"}'))

    assert ("a", "b") == scan(path, FIELDS, Progress()).ids


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{nope", "line 2: not a JSON object: "),
        ("", "line 2: not a JSON object: "),
        ("[1]", "line 2: not a JSON object: "),
        ('{"_id": ' + "[" * 9_999, "line 2: not a JSON object: "),
        (r'{"_id": "x", "title": "\ud800"}', "line 2: holds a lone surrogate, which is no"),
        (r'{"_id": "\udc00x", "title": "t"}', "line 2: holds a lone surrogate, which is no"),
        (r'{"_id": "a\u0000b", "title": "t"}', r"line 2: id 'a\x00b' holds a NUL character; "),
        ('{"_id": "' + 257 * "é" + '"}', f"line 2: id '{100 * 'é'}' is not a string of 1 to 512"),
        ('{"title": "t"}', "line 2: no `_id` (or `id`)"),
        ('{"_id": 7, "title": "t"}', "line 2: id '7' is not a string of 1 to 512 bytes"),
        ('{"_id": "", "title": "t"}', "line 2: id '' is not a string of 1 to 512 bytes"),
        ('{"_id": "a", "title": "t"}', "line 2: id 'a' is taken by line 1"),
        ('{"_id": "b"}', "line 2: id 'b': no field 'title'"),
        ('{"_id": "b", "title": 5}', "line 2: id 'b': field 'title': '5' is not a string"),
        (
            '{"_id": "b", "title": "t", "year": "1999"}',
            "line 2: id 'b': field 'year': '1999' is not a number",
        ),
    ],
)
def test_a_bad_line_is_named(write, line: str, expected: str) -> None:
    """
    The file, the line from 1, the id where there is one, and what is wrong.
    """
    (found,) = problems(write([{"_id": "a", "title": "x"}, line]))

    assert found.startswith(expected)


def test_a_surrogate_in_raw_bytes_is_named_too(tmp_path: Path) -> None:
    """
    Some writers put it there unescaped, which isn't UTF-8.
    """
    path = tmp_path / "c.jsonl"
    path.write_bytes(b'{"_id": "\xed\xa0\x80", "title": "t"}')

    assert ("line 1: holds a lone surrogate, which is no character",) == problems(path)


@given(st.text(st.characters(), max_size=600))
def test_what_a_corpus_takes_for_an_id_an_event_takes_too(
    tmp_path_factory: pytest.TempPathFactory, document_id: str
) -> None:
    """
    A document that can be found can be clicked.
    """
    path = tmp_path_factory.getbasetemp() / "one.jsonl"
    path.write_text(json.dumps({"_id": document_id, "title": "t"}))
    try:
        (taken,) = scan(path, FIELDS, Progress()).ids
    except ConfigError:
        return

    assert taken == checks.name(taken, "doc_id", MAX_DOC_ID)


def test_every_problem_is_named_at_once_up_to_twenty(write) -> None:
    """
    A corpus of 50 bad lines says 20 and counts the others.
    """
    found = problems(write(["nope"] * 50))

    assert 21 == len(found)
    assert "and 30 more" == found[-1]


def test_an_empty_corpus_is_refused(write) -> None:
    """
    Zero documents are a mistake, not an index.
    """
    assert ("holds no document",) == problems(write([]))


@pytest.mark.parametrize("content", [None, b"not gzip", gzip.compress(b"x" * 100)[:-12]])
def test_a_file_that_cant_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    """
    Missing, not gzip, or cut short.
    """
    path = tmp_path / "c.jsonl.gz"
    if content is not None:
        path.write_bytes(content)

    assert problems(path)[0].startswith("cannot be read: ")
