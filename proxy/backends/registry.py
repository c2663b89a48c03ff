"""The kinds of backend: `kind` in the configuration picks the class, its fields are the schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from proxy.backends.embedded import Embedded

Recipe: TypeAlias = Embedded

BACKENDS: Mapping[str, type[Recipe]] = {"embedded": Embedded}
