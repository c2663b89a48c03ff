"""When a node counts as down: a state without a clock, so that a test can read it like a table."""

from __future__ import annotations

from typing import Final

FAILURES: Final = 3
"""This many requests in a row found no connection, or lost it."""
SILENCES: Final = 10
"""This many in a row got no answer in time: it is connected and does nothing."""
FIRST_PAUSE: Final = 0.5
LONGEST_PAUSE: Final = 5.0
"""Seconds between two probes of a node that is down. A probe is cheap, an outage isn't."""


class Breaker:
    """Open (nothing is sent) after enough failures in a row, until something succeeds."""

    def __init__(self) -> None:
        self._failures = 0
        self._silences = 0
        self._pause = 0.0

    @property
    def open(self) -> bool:
        """Whether the node is left alone."""
        return self._pause > 0

    @property
    def pause(self) -> float:
        """Seconds until the next probe; twice as long after each that fails."""
        return self._pause

    def succeeded(self) -> None:
        """It answered, with whatever status."""
        self._failures = self._silences = 0
        self._pause = 0.0

    def failed(self) -> None:
        """No connection, or a lost one."""
        self._failures += 1
        if self._failures >= FAILURES and not self.open:
            self._pause = FIRST_PAUSE

    def silent(self) -> None:
        """No answer in time."""
        self._silences += 1
        if self._silences >= SILENCES and not self.open:
            self._pause = FIRST_PAUSE

    def probe_failed(self) -> None:
        """Still down."""
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
