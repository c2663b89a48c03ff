"""What the environment may say."""

from __future__ import annotations

from pathlib import Path

import pytest

from demo.options import FOLDER, Options, UsageError, options


def test_nothing_said_is_a_minute_in_the_project_folder():
    """
    The defaults are those that the README tells.
    """
    assert Options(60.0, 75.0, None, False, FOLDER) == options({})
    assert options({}) == options({"DEMO_SECONDS": "", "DEMO_JSON": "", "KEEP": "0"})


def test_everything_can_be_said():
    """
    Each variable sets one thing.
    """
    said = {
        "DEMO_SECONDS": "20",
        "DEMO_RATE": "5.5",
        "DEMO_JSON": "/tmp/x.json",
        "DEMO_FOLDER": "/tmp/demo",
        "KEEP": "1",
    }

    assert Options(20.0, 5.5, Path("/tmp/x.json"), True, Path("/tmp/demo")) == options(said)


@pytest.mark.parametrize("value", ["soon", "nan", "inf", "-5", "14"])
def test_a_run_that_could_show_nothing_is_refused(value: str):
    """
    The message names the variable and what it held.
    """
    with pytest.raises(UsageError, match=f"DEMO_SECONDS={value}"):
        options({"DEMO_SECONDS": value})


def test_results_that_could_not_be_written_are_refused_at_the_start(tmp_path: Path):
    """
    A minute later it would be too late.
    """
    with pytest.raises(UsageError, match="there is no folder"):
        options({"DEMO_JSON": str(tmp_path / "no" / "x.json")})
