"""Legs: the questions a pipeline asks of backends. A leg is a value; equal legs are run once.

A leg's name is the configuration's, not its own: it orders sums in a fusion and names the stage.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from proxy.legs.knn import Knn
from proxy.legs.lexical import Lexical

Leg: TypeAlias = Lexical | Knn

LEGS: Mapping[str, type[Leg]] = {"lexical": Lexical, "knn": Knn}
