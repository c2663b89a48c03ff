"""Highlights: where the terms of a question stand in a document's texts.

The text itself is not escaped, as in Elasticsearch: who shows it as HTML must do that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from proxy.backends.embedded.analyzers import ANALYZERS, placed
from proxy.backends.embedded.fields import Field
from proxy.backends.embedded.fragments import Match, fragments
from proxy.backends.embedded.questions import boosts
from proxy.backends.embedded.sources import pattern
from proxy.errors import BackendRefused
from proxy.legs import Leg
from proxy.legs.lexical import Lexical
from proxy.model import Highlight, HighlightField

LONGEST: Final = 1_000_000
"""Characters of a value that are looked through: Elasticsearch's `max_analyzed_offset`."""

_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode


def highlighted(
    source: bytes, fields: Mapping[str, Field], wanted: Highlight, leg: Leg | None, text: str
) -> bytes | None:
    """A JSON object of marked fragments by field; None where nothing matches.

    Raises BackendRefused for a text that is none (a lone surrogate).
    """
    document, found = _decode(source), dict[str, list[str]]()
    for asked in wanted.fields:
        for name in _named(asked.name, fields, leg):
            values = [str(value) for value in fields[name].values(document, name)]
            marked = _marked(values, fields[name], asked, wanted, text)
            if marked and name not in found:
                found[name] = marked
    return msgspec.json.encode(found) if found else None


def _named(name: str, fields: Mapping[str, Field], leg: Leg | None) -> list[str]:
    """The text fields that are meant: by name any, by a pattern those that the leg searches."""
    texts = [known for known, field in fields.items() if field.type == "text"]
    if "*" in name and isinstance(leg, Lexical):
        searched = boosts(leg.fields)
        texts = [known for known in texts if known in searched]
    return [known for known in texts if pattern((name,)).fullmatch(known)]


def _marked(
    values: Sequence[str], field: Field, asked: HighlightField, wanted: Highlight, text: str
) -> list[str]:
    """The best fragments of a field's values: those with more of the terms, else those before."""
    analyzer = field.analyzer or "standard"
    try:
        terms = frozenset(ANALYZERS[analyzer](text))
    except ValueError as exc:
        raise BackendRefused(str(exc)) from exc
    size = asked.size if asked.fragments else 0
    found = []
    for value in values:
        words = placed(analyzer, value[:LONGEST])
        matches = [Match(term, start, end) for term, start, end in words if term in terms]
        found += [each for each in fragments(value, matches, size) if each.matches]
    best = sorted(found, key=lambda fragment: -fragment.distinct)
    shown = best[: asked.fragments] if asked.fragments else best
    return [fragment.marked(wanted.before, wanted.after) for fragment in shown]
