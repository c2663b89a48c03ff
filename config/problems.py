"""How a problem of the configuration is put: where, which value, what is wrong, the choices."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

ABSENT: Final = object()
"""The value of what isn't there, or isn't worth repeating."""
LONGEST: Final = 100
"""Longer values are cut: a problem is a line."""

_CREDENTIALS: Final = re.compile(r"://[^/@]*@")


def problem(where: str, what: str, value: object = ABSENT, choices: Iterable[str] = ()) -> str:
    """One line: `where: value: what; did you mean …? choices: …`. Passwords in URLs are left out.

    >>> problem("pipelines.a.legs.0", "is no leg", "bm52", ["bm25", "dense"])
    "pipelines.a.legs.0: 'bm52' is no leg; did you mean bm25? choices: bm25, dense"
    """
    shown = "" if value is ABSENT else f"{_shown(value)} "
    return f"{where}: {shown}{what}{suggestion(where.rpartition('.')[2], value, choices)}"


def suggestion(key: str, value: object, choices: Iterable[str]) -> str:
    """`; did you mean …? choices: …` for a value (if absent: a key) that is none of them."""
    names = sorted(choices)
    if not names:
        return ""
    meant = nearest(key if value is ABSENT else str(value), names)
    guess = "" if meant is None else f"did you mean {meant}? "
    return f"; {guess}choices: {', '.join(names)}"


def nearest(text: str, choices: Iterable[str]) -> str | None:
    """The choice that `text` may be meant for; None where none is near."""
    return next(iter(get_close_matches(text, sorted(choices), n=1)), None)


def _shown(value: object) -> str:
    text = _CREDENTIALS.sub("://…@", repr(value))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
