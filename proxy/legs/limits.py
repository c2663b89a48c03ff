"""The limits that every leg keeps."""

from __future__ import annotations

from typing import Final

DEEPEST: Final = 10_000
"""No engine brings more at once (`index.max_result_window`)."""


def limits(window: int, timeout_ms: int) -> None:
    """Raise ValueError("field: what") unless both are in range."""
    if not 1 <= window <= DEEPEST:
        raise ValueError(f"window: {window} is not within 1 and {DEEPEST}")
    if timeout_ms < 1:
        raise ValueError(f"timeout_ms: {timeout_ms} leaves no time to answer")
