"""Bytes to JSON: one value, or lines of them; nested no deeper than is allowed."""

from __future__ import annotations

from typing import Final

from proxy.compat import caps
from proxy.errors import BadRequest
from proxy.wire import checks

MAX_SEARCHES: Final = 20
"""Searches of one `_msearch`."""


def document(raw: bytes) -> object:
    """The JSON of a body; an empty one is an empty object."""
    if not raw.strip():
        return {}
    caps.shallow(raw)
    return checks.decoded(raw)


def searches(raw: bytes) -> list[tuple[object, object]]:
    """The (header, body) pairs of an `_msearch`, a line each."""
    lines = raw.split(b"\n")
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines or len(lines) % 2:
        raise BadRequest("must be lines of JSON in pairs: a header, then a search")
    if len(lines) > 2 * MAX_SEARCHES:
        raise BadRequest(f"has {len(lines) // 2} searches; {MAX_SEARCHES} are allowed")
    read = [document(line) for line in lines]
    return list(zip(read[::2], read[1::2], strict=True))
