"""Spans of time as people type them: a number and a unit, `30s`, `30m`, `72h`, `28d`."""

from __future__ import annotations

import re
from typing import Annotated, Final, TypeAlias

from pydantic import BeforeValidator, Field, ValidationInfo

UNITS: Final = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SPAN: Final = re.compile(r"(\d+(?:\.\d+)?)([smhd])", re.ASCII)


def seconds(text: str) -> float:
    """The span in seconds; raises ValueError for anything but a number and one unit.

    >>> seconds("1.5h")
    5400.0
    """
    match = _SPAN.fullmatch(text)
    if match is None:
        raise ValueError("is no span: a number and a unit (s, m, h or d), such as 30s or 1.5h")
    return float(match[1]) * UNITS[match[2]]


def _read(value: object, info: ValidationInfo) -> object:
    """Text in a span's syntax; a bare number only from code, where it is seconds."""
    if isinstance(value, str):
        return seconds(value)
    if info.mode == "json" and isinstance(value, int | float):
        raise ValueError("needs a unit (s, m, h or d), such as 30s")
    return value


Seconds: TypeAlias = Annotated[float, BeforeValidator(_read), Field(gt=0)]
"""A positive span: a string with a unit in the file, float seconds in code."""
