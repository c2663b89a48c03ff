"""A configuration file read whole: its settings and everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from config.document import Document, parse
from config.references import (
    Names,
    Unset,
    keys,
    names,
    others,
    references,
    spans,
    unset,
    variables,
)
from config.schema import Settings
from config.validation import validate

MAX_BYTES: Final = 1 << 20
"""A larger file is no configuration, and is not read."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a file says: `settings` less what is broken (None if unreadable) and every problem.

    `names` are those the file declares by section and `broken` the (section, name) of entries that
    lost something or are missing from `settings`: what follows from that is no second mistake.
    `unset` are the problems with variables of parts, which are none for who doesn't use the part.
    """

    source: str
    settings: Settings | None
    problems: tuple[str, ...] = ()
    names: Names = field(default_factory=dict)
    broken: frozenset[tuple[str, str]] = frozenset()
    unset: Unset = field(default_factory=dict)


def load(path: Path, environ: Mapping[str, str]) -> Loaded:
    """Read `path`; variables it names must be set in `environ`. No file makes it raise."""
    document = _read(path)
    settings, problems, broken = validate(document)
    if settings is None or not isinstance(document.value, dict):
        return Loaded(str(path), None, (*document.problems, *problems))
    declared = names(document.value)
    return Loaded(
        str(path),
        settings,
        (
            *document.problems,
            *problems,
            *references(document.value, declared),
            *variables(others(document.value), environ),
            *(keys(settings, environ) if not _lost(broken, "secrets") else ()),
            *(spans(settings) if not _lost(broken, "evaluator") else ()),
        ),
        declared,
        broken,
        unset(document.value, environ),
    )


def _lost(broken: frozenset[tuple[str, str]], section: str) -> bool:
    return any(place[0] == section for place in broken)


def _read(path: Path) -> Document:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as exc:
        return Document(None, (f"the file: cannot be read: {exc.strerror}",))
    if len(raw) > MAX_BYTES:
        return Document(None, (f"the file: is larger than {MAX_BYTES} bytes",))
    try:
        return parse(raw.decode())
    except UnicodeDecodeError as exc:
        return Document(
            None, (f"the file: is no UTF-8: byte {exc.start} is {raw[exc.start]:#04x}",)
        )
