"""Tests of config.errors."""

from __future__ import annotations

from config.errors import ConfigError


def test_every_problem_stands_on_a_line_under_its_source() -> None:
    """
    What an operator sees names the file once and each problem once.
    """
    error = ConfigError("c.yaml", ["a: is missing", "b: is no key here"])

    assert "c.yaml is not a valid configuration:\n  a: is missing\n  b: is no key here" == str(
        error
    )
    assert ("a: is missing", "b: is no key here") == error.problems
