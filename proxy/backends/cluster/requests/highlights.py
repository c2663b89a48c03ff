"""Where a query's text matched, as the engines' `highlight`."""

from __future__ import annotations

from typing import TypeAlias

from proxy.backends import Wanted
from proxy.backends.cluster.requests.queries import matching
from proxy.backends.cluster.requests.target import Engine, Json
from proxy.legs import Leg
from proxy.legs.lexical import Lexical
from proxy.legs.pushdown import Pushdown
from proxy.legs.template import Template

Textual: TypeAlias = Lexical | Template


def highlight(engine: Engine, wanted: Wanted) -> Json | None:
    """The section for what is wanted; None where there is nothing to mark: vectors, and terms that
    a model made, match no words.
    """
    legs = _textual(wanted.leg)
    if wanted.highlight is None or not legs:
        return None
    queries = [matching(engine, leg, wanted.text) for leg in legs]
    return {
        "pre_tags": [wanted.highlight.before],
        "post_tags": [wanted.highlight.after],
        "highlight_query": queries[0] if len(queries) == 1 else {"bool": {"should": queries}},
        "fields": {
            field.name: {"fragment_size": field.size, "number_of_fragments": field.fragments}
            for field in wanted.highlight.fields
        },
    }


def _textual(leg: Leg | None) -> list[Textual]:
    match leg:
        case Pushdown():
            return [each for _, each in leg.legs if isinstance(each, Textual)]
        case Lexical() | Template():
            return [leg]
    return []
