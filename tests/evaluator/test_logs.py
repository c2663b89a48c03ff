"""Structured logs."""

from __future__ import annotations

import json
import logging

import pytest

from evaluator.logs import JsonFormatter, configure


def record(**extra: object) -> logging.LogRecord:
    """A log record with what varies."""
    made = logging.makeLogRecord({"msg": "round failed", "levelname": "WARNING", "name": "x"})
    vars(made).update(extra)
    return made


def test_a_line_is_json() -> None:
    """
    The event is constant, what varies stands beside it.
    """
    line = json.loads(JsonFormatter().format(record(route="faq", error=ValueError("no"))))

    assert ("round failed", "warning", "x", "faq", "no") == (
        line["event"], line["level"], line["logger"], line["route"], line["error"],
    )  # fmt: skip


def test_an_exception_is_in_its_line() -> None:
    """
    With its trace.
    """
    try:
        raise ValueError("why")
    except ValueError as exc:
        made = record(exc_info=(type(exc), exc, exc.__traceback__))

    assert "ValueError: why" in json.loads(JsonFormatter().format(made))["exception"]


def test_the_log_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    """
    stdout is for results.
    """
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        configure()
        logging.getLogger("evaluator").info("serving")
        caught = capsys.readouterr()
    finally:
        root.handlers, root.level = handlers, level

    assert "" == caught.out
    assert "serving" == json.loads(caught.err)["event"]
