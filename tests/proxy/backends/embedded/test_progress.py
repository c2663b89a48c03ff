"""Progress: silent when soon done, a redrawn line on a terminal, log records elsewhere."""

from __future__ import annotations

import io
import logging
import threading
from itertools import count

import pytest

from proxy.backends.embedded.progress import Progress, Stopped, remaining


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def ticking(seconds: float):
    """A clock that advances with every look."""
    looks = count()
    return lambda: next(looks) * seconds


def test_a_terminal_shows_how_far_and_how_long() -> None:
    """
    The line is redrawn, and ends with the time it took.
    """
    stream = Terminal()

    done = list(Progress(stream=stream, clock=ticking(1.0)).over(range(4), "indexing x"))

    assert [0, 1, 2, 3] == done
    assert "\r\x1b[Kindexing x: 50 % (2 of 4), about 3 s left" in stream.getvalue()
    assert stream.getvalue().endswith("\r\x1b[Kindexing x: done in 5 s\n")


def test_a_log_gets_a_line_now_and_then(caplog: pytest.LogCaptureFixture) -> None:
    """
    Without a terminal the same stands in log records, and the stream stays empty.
    """
    stream = io.StringIO()

    with caplog.at_level(logging.INFO):
        list(Progress(stream=stream, clock=ticking(2.0)).over(range(6), "indexing x"))

    assert ["building index"] * 2 == [record.message for record in caplog.records]
    assert "" == stream.getvalue()


def test_quick_work_says_nothing() -> None:
    """
    What is done at once draws nothing.
    """
    stream = Terminal()

    list(Progress(stream=stream, clock=lambda: 0.0).over(range(100), "indexing x"))

    assert "" == stream.getvalue()


def test_a_stopped_build_ends_at_its_next_item() -> None:
    """
    The event ends the loop from another thread.
    """
    stop = threading.Event()
    items = Progress(stop, io.StringIO()).over(range(10), "indexing x")
    next(items)
    stop.set()

    with pytest.raises(Stopped):
        next(items)


def test_nothing_done_has_no_estimate() -> None:
    """
    No division by nothing.
    """
    assert "x: 0 % (0 of 10), just begun" == remaining("x", 0, 10, 3.0)
