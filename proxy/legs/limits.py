"""The limits that every leg keeps."""

from __future__ import annotations

import re
from typing import Final

DEEPEST: Final = 10_000
"""No engine brings more at once (`index.max_result_window`)."""


LONGEST: Final = 500
"""Characters of what names an index, or several."""
_FOREIGN: Final = re.compile(r"""[\s\\/?"'|#\x00-\x1f\x7f]""")


def place(index: str) -> None:
    """Raise ValueError("index: what") for what can name no index, alias, stream or pattern."""
    if not index or any(not part for part in index.split(",")):
        raise ValueError("index: is empty, which an engine would take for all that it has")
    if len(index) > LONGEST:
        raise ValueError(f"index: has {len(index)} characters; {LONGEST} are allowed")
    if found := _FOREIGN.search(index):
        raise ValueError(f"index: {index!r} holds {found[0]!r}, which no index's name does")
    if index.startswith(("_", "-", "+")):
        raise ValueError(f"index: {index!r} begins with {index[0]!r}, which no index's name does")


def limits(window: int, timeout_ms: int) -> None:
    """Raise ValueError("field: what") unless both are in range."""
    if not 1 <= window <= DEEPEST:
        raise ValueError(f"window: {window} is not within 1 and {DEEPEST}")
    if timeout_ms < 1:
        raise ValueError(f"timeout_ms: {timeout_ms} leaves no time to answer")
