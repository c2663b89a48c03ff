"""The one deliberate error of the configuration."""

from __future__ import annotations

from collections.abc import Sequence


class ConfigError(Exception):
    """The configuration is wrong; carries every problem (where, what is wrong, the choices)."""

    def __init__(self, source: str, problems: Sequence[str]) -> None:
        lines = "\n".join(f"  {problem}" for problem in problems)
        super().__init__(f"{source} is not a valid configuration:\n{lines}")
        self.source = source
        self.problems = tuple(problems)
