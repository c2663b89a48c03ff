"""Legs: the questions a pipeline asks of backends. A leg is a value; equal legs are run once.

A leg's name is the configuration's, not its own: it orders sums in a fusion and names the stage.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical
from proxy.legs.neural import Neural
from proxy.legs.pushdown import Inner, Pushdown
from proxy.legs.sparse import Sparse
from proxy.legs.template import Template

Leg: TypeAlias = Lexical | Knn | Template | Sparse | Neural | Pushdown

LEGS: Mapping[str, type[Inner]] = {
    "lexical": Lexical,
    "knn": Knn,
    "template": Template,
    "sparse": Sparse,
    "neural": Neural,
}


def embedder_of(leg: Leg) -> str | None:
    """The name of the embedder whose vector the leg asks with."""
    return leg.embedder if isinstance(leg, Knn | Pushdown) else None


def takes_vector(leg: Leg) -> bool:
    """Whether the leg asks with a vector, an embedder's or the request's own."""
    match leg:
        case Knn():
            return True
        case Pushdown(legs=inner):
            return any(isinstance(each, Knn) for _, each in inner)
    return False


def counts_text(leg: Leg) -> bool:
    """Whether the leg's matches are those of the text, so that counting them says something."""
    return isinstance(leg, Lexical | Template)
