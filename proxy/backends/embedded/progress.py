"""Progress of a long build on stderr, with what is left; and the way to stop it."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TextIO, TypeVar

T = TypeVar("T")

REDRAWN: Final = 0.2
"""Seconds between two updates of a terminal's line."""
LOGGED: Final = 5.0
"""Seconds between two lines of a log, where stderr is no terminal."""

log = logging.getLogger(__name__)


class Stopped(Exception):
    """Whoever wanted the build is gone."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Says how far a build is: a line that is redrawn on a terminal, log records elsewhere.

    `stop` ends the build at its next item, because a thread can't be cancelled.
    """

    stop: threading.Event = field(default_factory=threading.Event)
    stream: TextIO = field(default_factory=lambda: sys.stderr)
    clock: Callable[[], float] = time.monotonic

    def check(self) -> None:
        """Raise Stopped if the build should end."""
        if self.stop.is_set():
            raise Stopped

    def over(self, items: Sequence[T], what: str) -> Iterator[T]:
        """The items, while saying how many are done. Work that is soon done says nothing."""
        drawn, terminal = False, self.stream.isatty()
        pause = REDRAWN if terminal else LOGGED
        began = self.clock()
        due = began + pause
        for done, item in enumerate(items):
            self.check()
            if (now := self.clock()) >= due:
                line = remaining(what, done, len(items), now - began)
                if terminal:
                    self.stream.write(f"\r\x1b[K{line}")
                    self.stream.flush()
                else:
                    log.info("building index", extra={"progress": line})
                drawn, due = terminal, now + pause
            yield item
        if drawn:
            self.stream.write(f"\r\x1b[K{what}: done in {self.clock() - began:.0f} s\n")


def remaining(what: str, done: int, total: int, seconds: float) -> str:
    """One line: what, how far, and how long the rest will take if it goes on like that.

    >>> remaining("indexing faq.jsonl", 250, 1000, 2.0)
    'indexing faq.jsonl: 25 % (250 of 1,000), about 6 s left'
    """
    left = f"about {seconds * (total - done) / done:.0f} s left" if done else "just begun"
    return f"{what}: {100 * done // total} % ({done:,} of {total:,}), {left}"
