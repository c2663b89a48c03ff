"""What may be said to the demo: environment variables, so that `make demo KEEP=1` works. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Final

from demo.schedule import SHORTEST

FOLDER: Final = Path(__file__).parents[1] / ".state" / "demo"
DEFAULT_SECONDS: Final = 60.0
DEFAULT_RATE: Final = 75.0


class UsageError(Exception):
    """A variable holds what it can't hold."""


@dataclass(frozen=True, slots=True)
class Options:
    """One run.

    `seconds` from the first search to the last number, `rate` searches a second, `json` a file for
    the results, `keep` to go on serving after them, `folder` for all that is written.
    """

    seconds: float = DEFAULT_SECONDS
    rate: float = DEFAULT_RATE
    json: Path | None = None
    keep: bool = False
    folder: Path = FOLDER


def options(environ: Mapping[str, str]) -> Options:
    """Read DEMO_SECONDS, DEMO_RATE, DEMO_JSON, DEMO_FOLDER and KEEP. Raises UsageError."""
    seconds = _number(environ, "DEMO_SECONDS", DEFAULT_SECONDS, SHORTEST)
    rate = _number(environ, "DEMO_RATE", DEFAULT_RATE, 1.0)
    return Options(
        seconds,
        rate,
        _file(environ, "DEMO_JSON"),
        environ.get("KEEP", "0") not in ("", "0"),
        Path(environ.get("DEMO_FOLDER") or FOLDER),
    )


def _number(environ: Mapping[str, str], name: str, default: float, least: float) -> float:
    given = environ.get(name) or default
    try:
        value = float(given)
    except ValueError:
        raise UsageError(f"{name}={given}: is no number") from None
    if not isfinite(value) or value < least:
        raise UsageError(f"{name}={given}: at least {least:g} is needed")
    return value


def _file(environ: Mapping[str, str], name: str) -> Path | None:
    """A file to be written at the end: a folder that isn't there is better known at the start."""
    if not (given := environ.get(name)):
        return None
    path = Path(given)
    if not path.parent.is_dir():
        raise UsageError(f"{name}={given}: there is no folder {path.parent}")
    return path
