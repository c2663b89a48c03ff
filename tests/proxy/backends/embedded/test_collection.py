"""A corpus as it is kept: sources byte for byte, restarts from the cache, damage repaired."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from config.errors import ConfigError
from proxy.backends.embedded.collection import Collection, content_hash, key, obtain
from proxy.backends.embedded.fields import Field
from proxy.backends.embedded.progress import Progress

FIELDS = {"text": Field("text", "english")}


def opened(corpus: Path, cache: Path, fields=FIELDS) -> Collection:
    """The collection of a corpus."""
    return obtain(corpus, fields, cache, Progress(), content_hash(corpus))


def test_sources_are_the_lines_as_they_are(tmp_path: Path, write) -> None:
    """
    Spaces, order of keys and escapes inside the line are kept; its ends are trimmed.
    """
    lines = ['{"text": "b\\u00e9",  "_id":"b", "more": [1, 2.50]}', ' {"_id": "a", "text": ""} \r']

    held = opened(write(lines), tmp_path / "cache")

    assert ("a", "b") == held.ids
    assert {"a": 0, "b": 1} == held.ordinals
    assert lines[0].encode() == held.source(1)
    assert b'{"_id": "a", "text": ""}' == held.source(0)


def test_a_second_start_reads_the_cache(tmp_path: Path, write) -> None:
    """
    Nothing in the cache is written again.
    """
    corpus, cache = write([{"_id": "a", "text": "x"}]), tmp_path / "cache"
    opened(corpus, cache)
    stamps = {path: path.stat().st_mtime_ns for path in cache.rglob("*")}

    opened(corpus, cache)

    assert stamps == {path: path.stat().st_mtime_ns for path in cache.rglob("*")}


def test_the_key_changes_with_content_and_schema(tmp_path: Path, write) -> None:
    """
    Another corpus, another analyzer or another field is another entry; the order of fields isn't.
    """
    one, other = Field("text"), Field("keyword")
    content = content_hash(write([{"_id": "a", "text": "x"}]))

    keys = {
        key(content, {"a": one, "b": other}),
        key(content, {"b": other, "a": one}),
        key(content, {"a": Field("text", "english"), "b": other}),
        key(content, {"a": one}),
        key(b"12345678", {"a": one}),
    }

    assert 4 == len(keys)


@pytest.mark.parametrize("damage", ["ids.json", "places.npy", "documents.jsonl", "text/meta.json"])
@pytest.mark.parametrize("kept", [None, 0, 5])
def test_a_damaged_entry_is_built_again(
    tmp_path: Path, write, damage: str, kept: int | None
) -> None:
    """
    A file that is gone, empty or cut short costs a build, not the start.
    """
    corpus, cache = write([{"_id": "a", "text": "red"}]), tmp_path / "cache"
    opened(corpus, cache)
    (file,) = cache.glob(f"*/{damage}")
    content = file.read_bytes()
    file.unlink()
    if kept is not None:
        file.write_bytes(content[:kept])

    held = opened(corpus, cache)

    assert b'{"_id": "a", "text": "red"}' == held.source(0)


def test_a_corpus_that_changes_while_it_is_read_is_refused(tmp_path: Path, write) -> None:
    """
    Otherwise the cache would keep it under another's name.
    """
    corpus = write([{"_id": "a", "text": "x"}])

    with pytest.raises(ConfigError, match="changed while it was read"):
        obtain(corpus, FIELDS, tmp_path / "cache", Progress(), b"12345678")


def test_a_missing_corpus_is_named(tmp_path: Path) -> None:
    """
    By its path.
    """
    with pytest.raises(ConfigError, match=r"nope\.jsonl is not.*\n.*cannot be read"):
        content_hash(tmp_path / "nope.jsonl")


BUILD = """
import sys
from pathlib import Path
from proxy.backends.embedded.collection import content_hash, obtain
from proxy.backends.embedded.fields import Field
from proxy.backends.embedded.progress import Progress
corpus = Path(sys.argv[1])
fields = {"text": Field("text", "english")}
held = obtain(corpus, fields, Path(sys.argv[2]), Progress(), content_hash(corpus))
print(len(held.ids), held.text.size)
"""


def test_two_processes_build_the_same_thing(tmp_path: Path, write) -> None:
    """
    Both end with the whole collection, and one entry stands in the cache.
    """
    corpus = write([{"_id": str(i), "text": f"word{i} red fox"} for i in range(3000)])
    command = [sys.executable, "-c", BUILD, str(corpus), str(tmp_path / "cache")]
    root = Path(__file__).parents[4]

    both = [
        subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    said = [process.communicate(timeout=60)[0] for process in both]

    assert ["3000 3000\n"] * 2 == said
    assert 1 == sum(path.is_dir() for path in (tmp_path / "cache").iterdir())
    assert json.loads(opened(corpus, tmp_path / "cache").source(0))["_id"] == "0"
