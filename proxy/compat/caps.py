"""What no request may exceed, whatever it says; checked before anything is made of it."""

from __future__ import annotations

import re
from typing import Final

from proxy.errors import BadRequest

MAX_DEPTH: Final = 32
"""Objects and lists within each other."""
MAX_CLAUSES: Final = 512
"""Objects of one search, whatever they say."""
MAX_BRACKETS: Final = 4_096
"""Brackets of a body, in texts or not: counting them is quick, whatever they come to."""
_TOKENS: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[{]|[\]}]', re.DOTALL)
"""A string (to the end, if nothing closes it), or a bracket."""


def shallow(raw: bytes) -> None:
    """Raises `BadRequest` for JSON nested too deep, or in too many parts, before it is parsed.

    >>> shallow(b'{"a": "[[[["}')
    """
    brackets = raw.count(b"{") + raw.count(b"[")
    if brackets > MAX_BRACKETS:
        raise BadRequest(f"the body has more than {MAX_BRACKETS} objects and lists")
    if brackets <= MAX_DEPTH:
        return
    depth = 0
    for token in _TOKENS.finditer(raw):
        match token[0]:
            case b"{" | b"[":
                depth += 1
                if depth > MAX_DEPTH:
                    raise BadRequest(f"the body is nested deeper than {MAX_DEPTH}")
            case b"}" | b"]":
                depth -= 1


def bounded(body: object) -> None:
    """Raises `BadRequest` for too many objects, or for too deep a nest of them."""
    level, objects = [body], 0
    for _ in range(MAX_DEPTH):
        objects += sum(isinstance(each, dict) for each in level)
        if objects > MAX_CLAUSES:
            raise BadRequest(f"the body has more than {MAX_CLAUSES} objects")
        level = [inner for each in level for inner in _within(each)]
        if not level:
            return
    raise BadRequest(f"the body is nested deeper than {MAX_DEPTH}")


def _within(value: object) -> list[object]:
    """The objects and lists right inside a value."""
    match value:
        case dict():
            inside = list(value.values())
        case list():
            inside = value
        case _:
            return []
    return [each for each in inside if isinstance(each, dict | list)]
