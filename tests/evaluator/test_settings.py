"""The configuration as the evaluator reads it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from config.errors import ConfigError
from config.schema import EvaluatorAdmin, Events
from evaluator.settings import read, unchangeable
from tests.evaluator.made import settings

DEFAULT = Path(__file__).parents[2] / "config" / "default.yaml"


def test_the_default_configuration_is_read() -> None:
    """
    With the evaluator's own checks.
    """

    assert ("nDCG@10", "RR", "Success@5") == read(DEFAULT, os.environ).evaluator.measures


def test_the_loaders_problems_and_ours_are_one_list(tmp_path: Path) -> None:
    """
    One error says them all.
    """
    path = tmp_path / "wrong.yaml"
    text = DEFAULT.read_text().replace('"RR"', '"MRR"').replace("settle: 60s", "setle: 60s")
    path.write_text(text)

    with pytest.raises(ConfigError) as raised:
        read(path, os.environ)

    said = "\n".join(raised.value.problems)
    assert "evaluator.setle" in said
    assert "'MRR' is no measure" in said


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    """
    Like any other.
    """
    with pytest.raises(ConfigError, match="cannot be read"):
        read(tmp_path / "absent.yaml", os.environ)


def test_what_needs_a_restart_is_named() -> None:
    """
    Nothing of a reload is applied then.
    """
    old = settings()
    new = old.model_copy(update={"events": Events(shards=2), "state_dir": "/elsewhere"})
    moved = settings(admin=EvaluatorAdmin(port=9999), interval=1.0)

    assert [
        "state_dir: can only change with a restart",
        "events.shards: can only change with a restart",
    ] == list(unchangeable(old, new))
    assert ("evaluator.admin: can only change with a restart",) == unchangeable(old, moved)
    assert () == unchangeable(old, settings(interval=1.0))
