"""When things happen in a run: traffic, the accident, and when each phase can be read. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SHORTEST: Final = 15.0
"""A shorter run would end before the evaluator has folded the accident."""
LONGEST_SHOWN: Final = 10.0


@dataclass(frozen=True, slots=True)
class Schedule:
    """A run of `seconds`: half the traffic before the accident, a quarter during, a quarter after.

    All times are seconds since the first search. An impression is folded once it is `settle` old,
    by a round each `interval`; so a phase is read `settle` after its end, and then what the served
    window shows is that phase and no other.
    """

    seconds: float
    settle: float = 5.0
    interval: float = 1.0

    @property
    def traffic(self) -> float:
        """When the last search starts: early enough for it to be judged within the run."""
        return self.seconds - self.settle - 2 * self.interval

    @property
    def accident(self) -> float:
        """When `misaligned` goes live."""
        return self.traffic / 2

    @property
    def repair(self) -> float:
        """When it is taken back."""
        return self.traffic * 3 / 4

    @property
    def shown(self) -> float:
        """How many seconds of searches the served line is about: less than the accident takes."""
        return min(LONGEST_SHOWN, self.repair - self.accident - self.interval)

    @property
    def window(self) -> float:
        """The served window: its last `settle` seconds are not folded yet."""
        return self.settle + self.shown

    @property
    def readings(self) -> tuple[tuple[str, float], ...]:
        """(phase, when its served numbers are read), in order."""
        ends = (("before", self.accident), ("during", self.repair), ("after", self.traffic))
        return tuple((phase, end + self.settle) for phase, end in ends)
