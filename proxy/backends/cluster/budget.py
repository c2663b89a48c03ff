"""The retry budget: so that a failing cluster isn't asked twice for everything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

SHARE: Final = 0.1
"""A request earns a tenth of a retry."""
PER_SECOND: Final = 3.0
"""Retries that quiet traffic may make, which earns few."""
MOST: Final = 10.0
"""What can be saved up."""


class Budget:
    """A bucket of retries, filled by requests and by time."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._held = MOST
        self._filled = clock()

    def earn(self) -> None:
        """A request was made."""
        self._held = min(MOST, self._held + SHARE)

    def take(self) -> bool:
        """Whether a retry may be made; then it is spent."""
        now = self._clock()
        self._held = min(MOST, self._held + (now - self._filled) * PER_SECOND)
        self._filled = now
        if self._held < 1:
            return False
        self._held -= 1
        return True
