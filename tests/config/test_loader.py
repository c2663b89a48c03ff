"""Tests of config.loader."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.loader import MAX_BYTES, load

SOUND = """\
backends: {main: {kind: embedded}}
legs: {bm25: {kind: lexical, backend: main}}
pipelines: {only: {legs: [bm25]}}
routes: {faq: {live: {only: 1.0}}}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file to write a configuration to."""
    return tmp_path / "c.yaml"


def test_a_broken_span_is_not_compared(tmp_path: Path) -> None:
    """
    Spans that can be read are; one that can't is no second mistake.
    """
    path = tmp_path / "c.yaml"
    for served, said in (("60s", "'60 s' is not longer"), ("60", "needs a unit")):
        path.write_text(f"evaluator: {{settle: 60s, served_window: {served}}}")

        (told,) = [line for line in load(path, {}).problems if line.startswith("evaluator")]

        assert said in told


def test_a_sound_file_is_settings(file: Path) -> None:
    """
    It says where it came from and what it declares.
    """
    file.write_text(SOUND)

    loaded = load(file, {})

    assert () == loaded.problems
    assert str(file) == loaded.source
    assert {"bm25"} == loaded.names["legs"]
    assert loaded.settings is not None
    assert isinstance(hash(loaded.settings), int)


def test_five_mistakes_are_five_lines(file: Path) -> None:
    """
    Mistakes of YAML, of the schema, of references and of the environment are listed together.
    """
    file.write_text(
        SOUND
        + "server: {port: '80', admin: {token_env: TOKEN}}\n"
        + "judging: {satisfied: .inf, session: 30}\n"
        + "rerankers: {}\n"
        + "events: {shards: 1, shards: 2}\n"
    )

    assert [
        "judging.satisfied: inf is no finite number (line 6)",
        "events.shards: is there twice (line 8)",
        "server.port: '80' is not a whole number",
        "judging.session: 30 needs a unit (s, m, h or d), such as 30s",
        "server.admin.token_env: 'TOKEN' is not set in the environment",
    ] == list(load(file, {}).problems)


def test_secrets_are_asked_for_with_a_shared_redis(file: Path) -> None:
    """
    The variables are named as soon as they are needed.
    """
    file.write_text(
        SOUND + "events: {redis: 'redis://redis'}\nsecrets: {ids_env: [A], keys_env: B}\n"
    )

    assert () == load(file, {"A": "a" * 16, "B": "b" * 16}).problems
    assert 2 == len(load(file, {}).problems)


def test_a_broken_key_is_not_missing_as_well(file: Path) -> None:
    """
    What follows from a mistake is no second one.
    """
    file.write_text(
        SOUND + "events: {redis: 'redis://redis'}\nsecrets: {ids_env: 3, keys_env: 4}\n"
    )

    assert ["secrets.ids_env", "secrets.keys_env"] == [
        line.partition(":")[0] for line in load(file, {}).problems
    ]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "the file: is empty"),
        (b"- 1", "the file: is no mapping of sections"),
        (b"a: [", "line 1: is no YAML: expected the node content, but found '<stream end>'"),
        (b"a: \xff", "the file: is no UTF-8: byte 3 is 0xff"),
        (b"#" * (MAX_BYTES + 1), f"the file: is larger than {MAX_BYTES} bytes"),
    ],
)
def test_what_is_no_configuration_at_all_is_one_problem(
    file: Path, content: bytes, problem: str
) -> None:
    """
    There are no settings then, and one sentence says why.
    """
    file.write_bytes(content)

    loaded = load(file, {})

    assert (problem,) == loaded.problems
    assert None is loaded.settings


def test_a_file_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    """
    As is a folder in its place.
    """

    assert ("the file: cannot be read: No such file or directory",) == (
        load(tmp_path / "c.yaml", {}).problems
    )
    assert ("the file: cannot be read: Is a directory",) == load(tmp_path, {}).problems
