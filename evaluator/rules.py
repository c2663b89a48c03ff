"""What the sums depend on: the judging rules, windows and measures, with times in milliseconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from config.schema import Settings
from evaluator.measures import Judged, Measure
from evaluator.notation import parse
from evaluator.weights import REPLICATES
from proxy.model import digest

LAYOUT: Final = b"1"
"""Changes with the form or the meaning of what is stored."""
BUCKETS: Final = 24
"""In a window."""
SERVED_BUCKETS: Final = 12
"""In a served_window."""
SHADOWS_MS: Final = 60_000
"""A shadows record that comes later is too late: its shadows are lost."""
PENDING_MS: Final = 120_000
"""How long an event waits for its impression, and how long a late one is known to be late."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How events become sums. A bucket is `bucket_ms` of record ids, a served one `served_ms`."""

    satisfied_ms: int
    session_ms: int
    settle_ms: int
    bucket_ms: int
    served_ms: int
    measures: tuple[Measure, ...]

    @property
    def judging(self) -> str:
        """A hash of all of it: sums under different rules are kept apart."""
        numbers = (
            self.satisfied_ms,
            self.session_ms,
            self.settle_ms,
            self.bucket_ms,
            self.served_ms,
        )
        fields = (*map(str, numbers), str(REPLICATES), *map(str, self.measures))
        return digest(LAYOUT, *(field.encode() for field in fields)).hex()


def rules(settings: Settings) -> Rules:
    """The rules of a configuration without `problems`."""
    judging, evaluator = settings.judging, settings.evaluator
    return Rules(
        satisfied_ms=_ms(judging.satisfied),
        session_ms=_ms(judging.session),
        settle_ms=_ms(evaluator.settle),
        bucket_ms=_ms(evaluator.window / BUCKETS),
        served_ms=_ms(evaluator.served_window / SERVED_BUCKETS),
        measures=tuple(map(parse, evaluator.measures)),
    )


def problems(settings: Settings) -> tuple[str, ...]:
    """What is wrong with the evaluator's sections beyond their schema, as `path: value …` lines."""
    judging, evaluator = settings.judging, settings.evaluator
    found = []
    if evaluator.settle >= judging.session:
        found.append(
            f"evaluator.settle: {evaluator.settle:g} s is not shorter than judging.session "
            f"({judging.session:g} s): nothing could be corrected"
        )
    return (*found, *_measure_problems(evaluator.measures))


def _measure_problems(texts: tuple[str, ...]) -> list[str]:
    found, seen = [], set()
    for at, text in enumerate(texts):
        where = f"evaluator.measures.{at}: {text!r}"
        try:
            measure = parse(text)
        except ValueError as exc:
            found.append(f"{where} {exc}")
            continue
        if isinstance(measure, Judged):
            found.append(f"{where} is exported already, as shadowrank_share")
        if measure in seen:
            found.append(f"{where} is named twice")
        seen.add(measure)
    return found


def _ms(seconds: float) -> int:
    return max(1, round(seconds * 1000))
